/** Builds the library: modules that import the installed packages, and self-contained type declarations. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT } from '../root.mjs';
import { bundleModules, DIST } from './modules.mjs';

/** Entry points of the package, by file name in `dist/`. */
const ENTRIES = {
  library: 'bin/library.ts',
  guard: 'bin/guard.ts',
  // The adapters of the guard.
  ...Object.fromEntries(
    readdirSync(join(ROOT, 'bin'))
      .filter((name) => name.startsWith('guard-'))
      .map((name) => [name.replace(/\.ts$/, ''), `bin/${name}`]),
  ),
  simulator: 'bin/simulator.ts',
};

/**
 * Bundles the library. Dependencies and frameworks stay external; all other packages go into the bundle.
 * @returns `files` by name, and `inputs`, the sources of the bundle
 */
export async function libraryModules() {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { outputFiles, inputs } = await bundleModules(ENTRIES, {
    external: Object.keys({ ...dependencies, ...peerDependencies }),
    chunkNames: 'lib/[hash]',
  });
  return { files: outputFiles.map(({ path, text }) => [relative(DIST, path), text]), inputs };
}

/** Writes the declarations that the entry points import to `dist/types/`. */
export function writeTypes() {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'types-'));
  try {
    emit(folder);
    const target = join(DIST, 'types');
    rmSync(target, { recursive: true, force: true });
    for (const path of reachable(folder)) {
      const to = join(target, relative(folder, path));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, readFileSync(path, 'utf8').replace(IMPORT, "$1'$2.js'"));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An import of a source file; declaration files have the same names. */
const IMPORT = /((?:from|import\() ?)['"](\.[^'"]*)\.ts['"]/g;

function emit(outDir) {
  const project = join(outDir, 'tsconfig.json');
  const compilerOptions = {
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    noEmit: false,
    // `npm run types` does the type check.
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: ROOT,
    outDir,
  };
  const files = Object.values(ENTRIES).map((path) => join(ROOT, path));
  writeFileSync(project, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files }));
  execFileSync(process.execPath, [COMPILER, '-p', project], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** The native compiler, five times as fast as the compiler that the linter needs. */
const COMPILER = join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc');

function reachable(folder) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, , target] of readFileSync(path, 'utf8').matchAll(IMPORT))
      visit(resolve(dirname(path), `${target}.d.ts`));
  };
  for (const entry of Object.values(ENTRIES)) visit(join(folder, entry.replace(/\.ts$/, '.d.ts')));
  return found;
}
