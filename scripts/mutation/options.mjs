/** How one folder of lib/ is mutated, and which suites have to notice. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../root.mjs';

/** Each folder answers to its own suites alone: what only a command's suite would notice counts as not noticed. */
export const FOLDERS = ['arguments', 'api', 'output'];

/**
 * Every mutator, static mutants and the texts for people included: a message or a hint that is wrong is a mistake as well.
 * Results of earlier runs are not taken over, because a whole run is short, and they would not know what has changed beside
 * the mutated file. Nothing is written into the sources' folders: the copy is in the system's temporary folder.
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
    // On top of one and a half times what the tests take without a mutant; too little of it, and a busy machine kills mutants.
    timeoutMS: 5000,
    warnings: { slow: false },
    disableTypeChecks: false,
  };
}
