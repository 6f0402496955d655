/** Writes a CycloneDX bill of materials for a bundle: the data of `npm sbom`, reduced to bundled packages. */
import { bundledPackages } from './bundled-packages.ts';
import { npm } from './processes.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly [key: string]: unknown;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

interface Bill {
  readonly metadata: { readonly component: Component; readonly [key: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
  readonly [key: string]: unknown;
}

/**
 * Creates the bill of materials.
 * @param inputs files of the bundle, relative to the project's root
 * @returns JSON; the same sources give the same text
 * @throws Error if a bundled package is not in the lock file
 */
export function billOfMaterials(root: string, inputs: readonly string[]): string {
  const { serialNumber: _, metadata, components, dependencies, ...bill } = npmSbom(root);
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

function npmSbom(root: string): Bill {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  return JSON.parse(npm(args, { cwd: root })) as Bill;
}
