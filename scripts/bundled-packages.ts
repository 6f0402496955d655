/**
 * Lists the packages in a bundle: their licences, because most require that copies include the licence text, and the
 * bill of materials.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './processes.ts';

const PACKAGE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  readonly folder: string;
}

/**
 * Lists the packages that a bundle contains, by folder.
 * @param inputs files of the bundle, relative to the project's root
 */
function bundledPackages(root: string, inputs: readonly string[]): BundledPackage[] {
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  return [...folders].sort().map((path) => {
    const folder = join(root, path);
    const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
    const { name, version, license } = JSON.parse(manifest) as Record<'name' | 'version' | 'license', string>;
    return { name, version, license, folder };
  });
}

/**
 * Collects the licences of a bundle.
 * @param inputs files of the bundle, relative to the project's root
 * @returns name, version and licence text of each package, sorted by name
 */
export function licencesOf(root: string, inputs: readonly string[]): string {
  return bundledPackages(root, inputs).map(licenceOf).join('\n\n');
}

function licenceOf({ name, version, license, folder }: BundledPackage): string {
  const file = readdirSync(folder)
    .sort()
    .find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}`;
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly [key: string]: unknown;
}

interface Bill {
  readonly metadata: { readonly component: Component; readonly [key: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  readonly [key: string]: unknown;
}

/**
 * Creates a CycloneDX bill of materials: the data of `npm sbom`, reduced to bundled packages.
 * @param inputs files of the bundle, relative to the project's root
 * @returns JSON; the same sources give the same text
 * @throws Error if a bundled package is not in the lock file
 */
export function billOfMaterials(root: string, inputs: readonly string[]): string {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const {
    serialNumber: _,
    metadata,
    components,
    dependencies,
    ...bill
  } = JSON.parse(npm(words, { cwd: root })) as Bill;
  const { timestamp: _when, component, ...about } = metadata;
  const bundled = bundledPackages(root, inputs).map(({ name, version }) => {
    const found = components.find((each) => each.name === name && each.version === version);
    if (found === undefined) throw new Error(`${name} ${version} is bundled, but npm sbom does not list it.`);
    // Bundled packages are shipped, even if they are devDependencies.
    return { ...found, scope: 'required', properties: [] };
  });
  const refs = new Set(bundled.map((each) => each['bom-ref']));
  const top = component['bom-ref'];
  const inside = dependencies
    .filter(({ ref }) => ref === top || refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
  // npm names the project by its folder.
  const program = { ...component, name: top.slice(0, top.lastIndexOf('@')), type: 'application' };
  const whole = { ...bill, metadata: { ...about, component: program }, components: bundled, dependencies: inside };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
