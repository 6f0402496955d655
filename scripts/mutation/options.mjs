/** Stryker options for one folder of lib/. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../root.mjs';

/** Each folder is tested by its own suites only: a mutant that only a command's suite would kill survives. */
export const FOLDERS = ['arguments', 'api', 'output'];

/**
 * Creates the options: all mutators, including static mutants and messages, because a wrong message is a bug too.
 * Results of earlier runs are not reused, because a full run is short and they ignore changes in other files. The copy is in
 * the system's temporary folder, so that source folders stay clean.
 */
export function optionsFor(folder) {
  const bundle = join(ROOT, 'scripts', 'mutation', 'bundle.mjs').replaceAll(' ', '\\ ');
  return {
    mutate: [`lib/${folder}/**/*.ts`],
    buildCommand: `node ${bundle} ${folder}`,
    testRunner: 'suites',
    suites: folder,
    plugins: [fileURLToPath(new URL('./runner.mjs', import.meta.url))],
    coverageAnalysis: 'perTest',
    ignorePatterns: ['/coverage', '/dist', '/docs'],
    tempDirName: join(tmpdir(), 'aisec-mutation'),
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: join(ROOT, 'node_modules', '.cache', 'mutation', `${folder}.json`) },
    concurrency: 2,
    // Added to 1.5 times the duration without a mutant; with less, a busy machine would time mutants out.
    timeoutMS: 5000,
    warnings: { slow: false },
    disableTypeChecks: false,
  };
}
