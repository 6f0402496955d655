/**
 * Bundles each test file with the sources that it imports, before jest runs it. Every file has modules of its own, and reading one
 * bundle is far cheaper than resolving, transforming and linking a thousand modules for each file.
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
const SOURCES = ['bin', 'commands', 'context', 'fixtures', 'lib', 'scripts', 'tests'];
const CODE = /\.(ts|mts|mjs|cjs|js)$/;

/** Bundles the test files that the command line selects. */
export default async function setup({ testPathPatterns, nonFlagArgs = [] }, { testMatch = [] }) {
  const patterns = (testPathPatterns?.patterns ?? nonFlagArgs).map((pattern) => new RegExp(pattern, 'i'));
  const leavesOutLong = testMatch.some((glob) => glob.includes('!(*.long)'));
  const files = filesIn('tests').filter(
    (file) =>
      file.endsWith('.test.ts') &&
      !(leavesOutLong && file.endsWith('.long.test.ts')) &&
      (patterns.length === 0 || patterns.some((pattern) => pattern.test(join(ROOT, file)))),
  );
  const write = async (folder) => {
    await writeUntracked();
    if (files.length > 0) await bundled(files, folder);
  };
  // `transform.cjs` reads it, in this process and in the workers.
  process.env.TEST_BUNDLES = await folderFor(ALL, keyOf(files), write);
}

async function bundled(files, outdir) {
  await build({
    absWorkingDir: ROOT,
    entryPoints: files,
    outdir,
    outbase: 'tests',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    sourcesContent: false,
    // A native import() would leave the realm of the test.
    supported: { 'dynamic-import': false },
    logLevel: 'error',
    plugins: [packagesApart, withOwnAddress],
  });
}

/** Packages of ES modules, which jest would have to transform for each test file: they go into the bundle. */
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
      if (kind === 'entry-point') return undefined;
      const isBundled = ES_MODULES.some((name) => path === name || path.startsWith(`${name}/`));
      return isBundled ? undefined : { path, external: true };
    });
  },
};

/** Changes whenever a source or the selection does. */
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
