/**
 * `npm run mutation`: mutation testing of the areas in scripts/mutation/areas.mjs. `npm run mutation -- gate plan` runs
 * two areas, and `npm run mutation -- gate lib/features/gate/decide.ts` one file of an area. `--workers 1` tests one mutant at a
 * time. `--record` keeps the figures of the areas, or of the single files, in docs/benchmarks.md. Surviving mutants are
 * listed, and are in node_modules/.cache/mutation, a JSON report for each area.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { FILE, keepSections } from './bench/document.mjs';
import { AREA_NAMES, areaOf } from './mutation/areas.mjs';
import { optionsFor } from './mutation/options.mjs';
import { fileRowsOf, rowOf, section, survivors, tableOf } from './mutation/score.mjs';

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
  const mutants = await new Stryker(optionsFor(area, files, Number(values.workers))).runMutationTest();
  rows.push(...(files.length === 0 ? [rowOf(area, mutants, Date.now() - started)] : fileRowsOf(mutants)));
  console.log(survivors(mutants));
}
console.log(tableOf(rows));
if (values.record) keepSections([section(rows, readFileSync(FILE, 'utf8'))]);
