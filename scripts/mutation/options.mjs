/** Stryker options for one area. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../root.mjs';
import { areaOf } from './areas.mjs';

/**
 * Creates the options: all mutators, including static mutants and messages, because a wrong message is a bug too.
 * Results of earlier runs are not reused, because a full run is short and they ignore changes in other files. The copy is in
 * the system's temporary folder, so that source folders stay clean.
 * @param area its name
 * @param files mutate these alone; all of the area by default
 * @param workers mutants at a time
 */
export function optionsFor(area, files, workers) {
  const { patterns, suites } = areaOf(area);
  const bundle = join(ROOT, 'scripts', 'mutation', 'bundle.mjs').replaceAll(' ', '\\ ');
  return {
    mutate: files.length === 0 ? patterns : files,
    buildCommand: `node ${bundle} ${area}`,
    testRunner: 'suites',
    suites,
    plugins: [fileURLToPath(new URL('./runner.mjs', import.meta.url))],
    coverageAnalysis: 'perTest',
    ignorePatterns: ['/coverage', '/dist', '/docs'],
    tempDirName: join(tmpdir(), 'aisec-mutation'),
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: join(ROOT, 'node_modules', '.cache', 'mutation', `${area}.json`) },
    concurrency: workers,
    // Added to 1.5 times the duration without a mutant; with less, a busy machine would time mutants out.
    timeoutMS: 5000,
    warnings: { slow: false },
    disableTypeChecks: false,
  };
}
