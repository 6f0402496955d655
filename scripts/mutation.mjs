/**
 * `npm run mutation`: mutation testing of the areas in scripts/mutation/areas.mjs. `npm run mutation -- gate plan` runs
 * two areas, and `npm run mutation -- gate lib/gate/decide.ts` one file of an area. `--workers 1` tests one mutant at a
 * time. `--record` keeps the figures of whole areas in docs/benchmarks.md. Surviving mutants are listed, and are in
 * node_modules/.cache/mutation, a JSON report for each area.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { FILE, keepSections } from './bench/document.mjs';
import { AREA_NAMES, areaOf } from './mutation/areas.mjs';
import { optionsFor } from './mutation/options.mjs';
import { scoreOf, section, survivors, tableOf } from './mutation/score.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false }, workers: { type: 'string', default: '2' } },
});
const files = positionals.filter((word) => word.includes('/'));
const areas = positionals.filter((word) => !word.includes('/'));
for (const area of areas) areaOf(area);
if (values.record && files.length > 0) throw new Error('Figures of single files are not recorded: leave out --record.');

const scores = [];
for (const area of areas.length === 0 ? AREA_NAMES : areas) {
  const started = Date.now();
  const mutants = await new Stryker(optionsFor(area, files, Number(values.workers))).runMutationTest();
  scores.push(scoreOf(area, mutants, Date.now() - started));
  console.log(survivors(mutants));
}
console.log(tableOf(scores));
if (values.record) keepSections([section(scores, readFileSync(FILE, 'utf8'))]);
