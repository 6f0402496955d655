/** Checks that the licences of bundled packages are permissive; tests of the build check that their texts are in the package. */
import { listed, type Problem } from '../checks.ts';
import type { Manifest } from '../manifest.ts';
import type { PackageFiles } from './contents.ts';

interface Component {
  readonly name: string;
  readonly licenses?: readonly Licence[];
}

/** An SPDX id, an SPDX expression, or any other name. */
interface Licence {
  readonly license?: { readonly id?: string; readonly name?: string };
  readonly expression?: string;
}

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

/** Checks that every bundled package has a permissive licence, as the bill of materials names it. */
export function licencesOutcome(files: PackageFiles, manifest: Manifest): string | Problem {
  const bill = JSON.parse(files.get('dist/sbom.cdx.json') ?? '') as { components: Component[] };
  const unknown = bill.components.filter(
    ({ licenses = [] }) => licenses.length === 0 || !licenses.every((licence) => isPermissive(idOf(licence))),
  );
  if (unknown.length > 0) {
    const names = unknown.map(({ name, licenses = [] }) => `${name} (${licenses.map(idOf).join(', ') || 'none'})`);
    return { found: `Not a known permissive licence: ${listed(names)}.`, remedy: 'Read it, or take another package.' };
  }
  const ids = [...new Set(bill.components.flatMap(({ licenses = [] }) => licenses.map(idOf)))].sort();
  return `${manifest.license ?? 'No licence'}; of the bundled packages ${ids.join(', ')}`;
}

function idOf({ license, expression }: Licence): string {
  return expression ?? license?.id ?? license?.name ?? 'unnamed';
}

/** Reports whether a licence is permissive: all parts of a conjunction, or one part of a choice. */
function isPermissive(expression: string): boolean {
  const ids = expression.replace(/[()]/g, '').split(/ (?:AND|OR) /);
  return expression.includes(' AND ') ? ids.every((id) => PERMISSIVE.has(id)) : ids.some((id) => PERMISSIVE.has(id));
}
