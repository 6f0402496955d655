/**
 * `npm run mutation`: mutation testing of the areas in scripts/mutation/areas.mjs. `npm run mutation -- gate plan` runs
 * two areas, and `npm run mutation -- gate lib/features/gate/decide.ts` one file of an area. `--workers 1` tests one mutant at a
 * time. `--record` keeps the figures of the areas, or of the single files, in docs/benchmarks.md. Surviving mutants are
 * listed, and are in node_modules/.cache/mutation, a JSON report for each area.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { FILE, keepSections } from './bench/document.mjs';
import { AREA_NAMES, areaOf } from './mutation/areas.mjs';
import { fileRowsOf, rowOf, section, survivors, tableOf } from './mutation/score.mjs';
import { ROOT } from './root.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false }, workers: { type: 'string', default: '2' } },
});
const files = positionals.filter((word) => word.includes('/'));
const areas = positionals.filter((word) => !word.includes('/'));
for (const area of areas) areaOf(area);
if (files.length > 0 && areas.length !== 1) throw new Error('Name the one area whose suites test these files.');

const rows = [];
for (const area of areas.length === 0 ? AREA_NAMES : areas) {
  const started = Date.now();
  const mutants = await new Stryker(optionsFor(area)).runMutationTest();
  rows.push(...(files.length === 0 ? [rowOf(area, mutants, Date.now() - started)] : fileRowsOf(mutants)));
  console.log(survivors(mutants));
}
console.log(tableOf(rows));
if (values.record) keepSections([section(rows, readFileSync(FILE, 'utf8'))]);

/**
 * Creates the options of Stryker: all mutators, messages included, because a wrong message is a bug too. Results of earlier runs
 * are not reused, because they ignore changes in other files.
 */
function optionsFor(area) {
  const { patterns, suites } = areaOf(area);
  const inScripts = (name) => join(ROOT, 'scripts', 'mutation', name);
  return {
    mutate: files.length === 0 ? patterns : files,
    buildCommand: `node ${inScripts('bundle.mjs').replaceAll(' ', '\\ ')} ${area}`,
    testRunner: 'suites',
    suites,
    plugins: [inScripts('runner.mjs')],
    coverageAnalysis: 'perTest',
    ignorePatterns: ['/coverage', '/dist', '/docs'],
    // Source folders stay clean.
    tempDirName: join(tmpdir(), 'aisec-mutation'),
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: join(ROOT, 'node_modules', '.cache', 'mutation', `${area}.json`) },
    concurrency: Number(values.workers),
    // Added to 1.5 times the duration without a mutant; with less, a busy machine would time mutants out.
    timeoutMS: 5000,
    warnings: { slow: false },
    disableTypeChecks: false,
  };
}
