/**
 * Bundles each test file with the sources that it imports, before jest runs it. Each file has its own modules, and
 * reading one bundle is far cheaper than resolving, transforming and linking a thousand modules per file.
 */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { withOwnAddress } from '../../../scripts/bundle.mjs';
import { writeUntracked } from '../../../scripts/generate.mjs';
import { ROOT } from '../../../scripts/root.mjs';
import { folderFor } from './folders.mjs';

const ALL = join(ROOT, 'node_modules', '.cache', 'aisec', 'tests');
const SOURCES = ['bin', 'commands', 'context', 'fixtures', 'lib', 'scripts', 'tests', 'web'];
const CODE = /\.(ts|mts|mjs|cjs|js)$/;

const SHARED = {
  absWorkingDir: ROOT,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  sourcemap: 'external',
  sourcesContent: false,
  // A native import() would leave the test's realm.
  supported: { 'dynamic-import': false },
  logLevel: 'error',
};

/** Bundles the test files that the command line selects, each into its own file, which `transform.cjs` passes to jest. */
export default async function setup({ testPathPatterns, nonFlagArgs = [] }, { testMatch = [] }) {
  const patterns = (testPathPatterns?.patterns ?? nonFlagArgs).map((pattern) => new RegExp(pattern, 'i'));
  const leavesOutLong = testMatch.some((glob) => glob.includes('!(*.long)'));
  const files = testFiles().filter(
    (file) =>
      (isShort(file) || !leavesOutLong) &&
      (patterns.length === 0 || patterns.some((pattern) => pattern.test(join(ROOT, file)))),
  );
  // `transform.cjs` reads it, in this process and in the workers.
  process.env.TEST_BUNDLES = await written(files, { entryPoints: files, outbase: 'tests' });
}

/**
 * Files per suite: with more, a core would be idle at the end of a run; with fewer, the same modules would be loaded
 * more often.
 */
const FILES = 12;

/**
 * Bundles the short test files: the files of a folder share a bundle and its modules, and each file is a `describe` in it.
 *
 * @returns the folder of the bundles
 */
export function writeSuites() {
  const folders = new Map();
  for (const file of testFiles().filter(isShort)) {
    const folder = file.split('/').slice(1, -1).slice(0, 2).join('-');
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const suites = new Map();
  for (const [folder, files] of folders) {
    for (let at = 0; at < files.length; at += FILES)
      suites.set(`${folder}-${at / FILES + 1}`, files.slice(at, at + FILES));
  }
  const suiteFiles = {
    name: 'suite-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^suite:/ }, ({ path }) => ({ path: path.slice('suite:'.length), namespace: 'suite' }));
      onLoad({ filter: /.*/, namespace: 'suite' }, ({ path }) => ({
        contents: [SUITE_WIDE, ...suites.get(path).map(describing)].join('\n'),
        resolveDir: ROOT,
      }));
    },
  };
  const entryPoints = [...suites.keys()].map((name) => ({ in: `suite:${name}`, out: name }));
  return written([...suites].flat(2), { entryPoints, plugins: [suiteFiles] });
}

/** Its hook applies to all files of a suite. */
const SUITE_WIDE = "import './tests/support/folder.ts';";

/** Required, not imported, so that a file's hooks belong to its own block. */
const describing = (file) => `describe('${file}', () => void require('./${file}'));`;

const isShort = (file) => !file.endsWith('.long.test.ts');

const testFiles = () =>
  filesIn('tests')
    .filter((file) => file.endsWith('.test.ts'))
    .sort();

const written = (names, options) =>
  folderFor(ALL, keyOf(names), async (outdir) => {
    await writeUntracked();
    await build({
      ...SHARED,
      ...options,
      outdir,
      plugins: [...(options.plugins ?? []), packagesApart, withOwnAddress],
    });
  });

/** ES module packages, which jest would have to transform for each test file, are bundled. */
const ES_MODULES = [
  'ky',
  'string-width',
  'yargs-parser',
  'get-east-asian-width',
  'strip-ansi',
  'ansi-regex',
  '@seriousme',
];

/** Leaves all other packages to jest. */
const packagesApart = {
  name: 'packages-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || path.startsWith('suite:')) return undefined;
      const isBundled = ES_MODULES.some((name) => path === name || path.startsWith(`${name}/`));
      return isBundled ? undefined : { path, external: true };
    });
  },
};

/** Changes whenever a source or the selection changes. */
function keyOf(files) {
  const hash = createHash('sha256').update(files.join('\n'));
  for (const file of SOURCES.flatMap(filesIn)) {
    const { mtimeMs, size } = statSync(join(ROOT, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(folder) {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => CODE.test(name)).map((name) => `${folder}/${name}`);
}
