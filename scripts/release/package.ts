/**
 * Checks that a package has everything in package.json, permissive licences, and no trace of the machine that built it.
 */
/** The members of package.json that matter for a release. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly man?: readonly string[];
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** Frameworks that the guard's adapters support. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly repository?: string | { readonly type?: string; readonly url?: string };
}

/** The outcome of a check. */
export interface Outcome {
  readonly passed?: boolean;
  readonly found: string;
  /** How to fix it. */
  readonly remedy?: string;
}

/** Text files in the package: content by path. */
export type PackageFiles = ReadonlyMap<string, string>;

/** Checks that the package has everything that package.json names. npm silently leaves out missing files. */
export function contentsOutcome(
  { bin = {}, man = [], exports = {}, files = [] }: Manifest,
  packed: PackageFiles,
): Outcome {
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  // A leading ! leaves files out.
  const wanted = [...Object.values(bin), ...man, ...targets, ...files.filter((path) => !path.startsWith('!'))];
  const paths = new Set(['LICENSE', 'README.md', ...wanted.map((path) => path.replace(/^\.\//, ''))]);
  const missing = [...paths].filter((path) => {
    const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = new RegExp(`^${parts.join('[^/]*')}(?:/|$)`);
    return ![...packed.keys()].some((each) => pattern.test(each));
  });
  if (missing.length === 0) return { passed: true, found: `${packed.size} files, with all that package.json names` };
  return { found: `It has no ${missing.join(', ')}.`, remedy: 'Build it, or correct package.json.' };
}

/** Licences whose only condition is that copies include their text. */
const PERMISSIVE = /^(?:0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|ISC|MIT)$/;

interface Component {
  readonly name: string;
  /** An SPDX id, an SPDX expression, or another name. */
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

/** Checks that every bundled package has a permissive licence, according to the bill of materials. */
export function licencesOutcome(packed: PackageFiles): Outcome {
  const bill = JSON.parse(packed.get('dist/sbom.cdx.json') ?? '') as { components: Component[] };
  const named = bill.components.map(({ name, licenses = [] }) => ({
    name,
    ids: licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? 'unnamed'),
  }));
  const unknown = named.filter(({ ids }) => ids.length === 0 || !ids.every(isPermissive));
  if (unknown.length === 0)
    return { passed: true, found: [...new Set(named.flatMap(({ ids }) => ids))].sort().join(', ') };
  return {
    found: `Not a known permissive licence: ${unknown.map(({ name, ids }) => `${name} (${ids.join(', ')})`).join(', ')}.`,
    remedy: 'Read it, or take another package.',
  };
}

/** Reports whether a licence is permissive: all parts of a conjunction, or one part of a choice. */
function isPermissive(expression: string): boolean {
  const ids = expression.replace(/[()]/g, '').split(/ (?:AND|OR) /);
  return expression.includes(' AND ') ? ids.every((id) => PERMISSIVE.test(id)) : ids.some((id) => PERMISSIVE.test(id));
}

/** Strings that reveal a build machine. Other home folders come from emscripten (inside jq) and the container image. */
const FORBIDDEN = [
  /\/(?:home|Users)\/(?!web_user\b|aisec\b)[\w.-]+|\\Users\\\w+/,
  /(?<![\w.:~*}-])\/(?:root|work|workspace|builds|private\/var)\/[\w.]/,
  /https?:\/\/(?![\w.]*example\.com\/)[^\s"'`]+\.tgz/,
  /_authToken|\bnpm_[A-Za-z0-9]{36}\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

/**
 * Checks that no file reveals the machine, a registry or a secret.
 * @param own further forbidden words: folders and hosts of this machine
 */
export function wordsOutcome(packed: PackageFiles, own: readonly string[]): Outcome {
  // A whole folder name, not the beginning of another name.
  const names = own.map((word) => new RegExp(`${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`));
  const found = [...packed].flatMap(([path, text]) =>
    [...FORBIDDEN, ...names].flatMap((pattern) => {
      const place = pattern.exec(text)?.index;
      return place === undefined ? [] : [`${path}:${text.slice(0, place).split('\n').length}`];
    }),
  );
  if (found.length === 0) return { passed: true, found: `nothing in ${packed.size} files` };
  return {
    found: `They are in ${found.slice(0, 9).join(', ')}.`,
    remedy: 'Remove them from the sources, or from "files".',
  };
}
