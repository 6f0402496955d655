/** Checks bundled packages: the bill of materials names them, and their licences are permissive. */
import { listed, type Problem } from '../checks.ts';
import type { Manifest } from '../manifest.ts';
import type { PackageFiles } from './contents.ts';
import type { LockFile } from './lock-file.ts';

interface Bill {
  readonly bomFormat?: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly Component[];
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly unknown[];
  readonly licenses?: readonly Licence[];
}

/** An SPDX id, an SPDX expression, or any other name. */
interface Licence {
  readonly license?: { readonly id?: string; readonly name?: string };
  readonly expression?: string;
}

const BILL = 'dist/sbom.cdx.json';
const TEXTS = 'dist/licences.txt';
/** Licences whose only condition is that copies include their text. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
]);
const MODULE = /(?<![\w/])node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g;
const TITLE = /^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*)\n\n/gm;

/** Checks that the bill of materials names what is bundled, in the versions of the lock file. */
export function billOutcome(files: PackageFiles, manifest: Manifest, lock: LockFile): string | Problem {
  const remedy = 'Run npm run build, and check scripts/bill-of-materials.ts.';
  const text = files.get(BILL);
  if (text === undefined) return { found: `The package has no ${BILL}.`, remedy };
  const bill = JSON.parse(text) as Bill;
  const { name, version } = bill.metadata.component;
  if (bill.bomFormat !== 'CycloneDX' || name !== manifest.name || version !== manifest.version) {
    return { found: `It is about ${name} ${version}, in the format ${bill.bomFormat ?? 'unknown'}.`, remedy };
  }
  const named = new Set(bill.components.map((part) => part.name));
  const missing = bundledNames(files, manifest).filter((each) => !named.has(each));
  if (missing.length > 0) return { found: `It does not name ${listed(missing)}.`, remedy };
  const wrong = bill.components.filter((part) => !isLocked(part, lock)).map((part) => `${part.name} ${part.version}`);
  if (wrong.length > 0) return { found: `The lock file does not have ${listed(wrong)}.`, remedy };
  return `${bill.components.length} packages, in the versions of the lock file`;
}

/** Checks that every bundled package has a permissive licence, and that its text is in the package. */
export function licencesOutcome(files: PackageFiles, manifest: Manifest): string | Problem {
  if (manifest.license === undefined || !files.has('LICENSE')) {
    const remedy = 'Add "license" to package.json, and a file LICENSE.';
    return { found: 'The package itself has no licence.', remedy };
  }
  const { components } = JSON.parse(files.get(BILL) ?? '{"components":[]}') as Bill;
  const unknown = components.filter(({ licenses = [] }) => licenses.length === 0 || !licenses.every(isPermissive));
  if (unknown.length > 0) {
    const names = unknown.map(({ name, licenses = [] }) => `${name} (${licenses.map(idOf).join(', ') || 'none'})`);
    return { found: `Not a known permissive licence: ${listed(names)}.`, remedy: 'Read it, or take another package.' };
  }
  const titles = new Set(
    Array.from((files.get(TEXTS) ?? '').matchAll(TITLE), ([, name, version]) => `${name} ${version}`),
  );
  const absent = components.map(({ name, version }) => `${name} ${version}`).filter((title) => !titles.has(title));
  if (absent.length > 0) return { found: `${TEXTS} has no text for ${listed(absent)}.`, remedy: 'Run npm run build.' };
  const ids = [...new Set(components.flatMap(({ licenses = [] }) => licenses.map(idOf)))].sort();
  return `${manifest.license}; of the bundled packages ${ids.join(', ')}`;
}

/**
 * Lists packages that must be in the bundle: the dependencies, and those that modules of the bundle are named after. esbuild
 * names only those that it wraps in a function.
 */
function bundledNames(files: PackageFiles, { dependencies = {} }: Manifest): string[] {
  const modules = Array.from(files).filter(([path]) => /^dist\/.*\.c?js$/.test(path));
  const names = modules.flatMap(([, text]) => Array.from(text.matchAll(MODULE), ([, name = '']) => name));
  return [...new Set([...Object.keys(dependencies), ...names])].sort();
}

function isLocked({ name, version, hashes = [] }: Component, { packages }: LockFile): boolean {
  const places = Object.keys(packages).filter(
    (path) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`),
  );
  return hashes.length > 0 && places.some((path) => packages[path]?.version === version);
}

function idOf({ license, expression }: Licence): string {
  return expression ?? license?.id ?? license?.name ?? 'unnamed';
}

/** Reports whether a licence is permissive: all parts of a conjunction, or one part of a choice. */
function isPermissive(licence: Licence): boolean {
  const text = idOf(licence).replace(/[()]/g, '');
  const ids = text.split(/ (?:AND|OR) /);
  return text.includes(' AND ') ? ids.every((id) => PERMISSIVE.has(id)) : ids.some((id) => PERMISSIVE.has(id));
}
