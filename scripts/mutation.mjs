/**
 * `npm run mutation`: mutation testing of the areas in scripts/mutation/areas.mjs. `npm run mutation -- gate plan` runs
 * two areas, and `npm run mutation -- gate lib/features/gate/decide.ts` one file of an area. `--workers 1` tests one mutant at a
 * time. Stryker lists the surviving mutants and the score of each file.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { AREA_NAMES, areaOf } from './mutation/areas.mjs';
import { ROOT } from './root.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { workers: { type: 'string', default: '2' } },
});
const files = positionals.filter((word) => word.includes('/'));
const areas = positionals.filter((word) => !word.includes('/'));
for (const area of areas) areaOf(area);
if (files.length > 0 && areas.length !== 1) throw new Error('Name the one area whose suites test these files.');

for (const area of areas.length === 0 ? AREA_NAMES : areas) {
  const { patterns, suites } = areaOf(area);
  console.log(`Area ${area}`);
  // All mutators, messages included, because a wrong message is a bug too. Results of earlier runs are not reused, because they
  // ignore changes in other files.
  const stryker = new Stryker({
    mutate: files.length === 0 ? patterns : files,
    testRunner: 'suites',
    suites,
    plugins: [join(ROOT, 'scripts', 'mutation', 'runner.mjs')],
    coverageAnalysis: 'perTest',
    ignorePatterns: ['/coverage', '/dist', '/docs'],
    // Source folders stay clean.
    tempDirName: join(tmpdir(), 'aisec-mutation'),
    reporters: ['progress-append-only', 'clear-text'],
    clearTextReporter: { reportTests: false },
    concurrency: Number(values.workers),
    // Added to 1.5 times the duration without a mutant; with less, mutants would time out on a busy machine.
    timeoutMS: 5000,
    warnings: { slow: false },
    disableTypeChecks: false,
  });
  await stryker.runMutationTest();
}
