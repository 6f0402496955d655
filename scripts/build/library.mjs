/** Builds the library: modules over the installed packages, and declarations that stand alone. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { ROOT } from '../root.mjs';

/** The entry points of the package, by the name of their file in `dist/`. */
const ENTRIES = { library: 'bin/library.ts', simulator: 'bin/simulator.ts' };

/** @returns the files of the library, by name */
export async function libraryModules() {
  const outdir = join(ROOT, 'dist');
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(ROOT, path)])),
    outdir,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    chunkNames: 'lib/[hash]',
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  });
  return outputFiles.map(({ path, text }) => [relative(outdir, path), text]);
}

/** Writes `dist/types/`: the declarations that the entry points reach, and no others. */
export function writeTypes() {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'types-'));
  try {
    emit(folder);
    const target = join(ROOT, 'dist', 'types');
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

/** An import of a source; the emitted declarations lie under the same names. */
const IMPORT = /((?:from|import\() ?)['"](\.[^'"]*)\.ts['"]/g;

function emit(outDir) {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(
    { ...config, include: [], files: Object.values(ENTRIES) },
    ts.sys,
    ROOT,
  );
  const program = ts.createProgram(
    Object.values(ENTRIES).map((path) => join(ROOT, path)),
    {
      ...options,
      types: ['node'],
      noEmit: false,
      // `npm run types` checks; here only the declarations are wanted.
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: ROOT,
      outDir,
    },
  );
  const { diagnostics } = program.emit();
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT));
}

const FORMAT = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => ROOT, getNewLine: () => '\n' };

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
