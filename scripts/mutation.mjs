/**
 * `npm run mutation`: mutation testing of lib/arguments, lib/api and lib/output. `npm run mutation -- output` runs one folder
 * and does not write the figures. Surviving mutants are in node_modules/.cache/mutation, a JSON report for each folder.
 */
import { Stryker } from '@stryker-mutator/core';
import { keepSections } from './bench/document.mjs';
import { FOLDERS, optionsFor } from './mutation/options.mjs';
import { scoreOf, section, survivors } from './mutation/score.mjs';

const chosen = process.argv.slice(2);
const scores = [];
for (const folder of chosen.length === 0 ? FOLDERS : chosen) {
  const started = Date.now();
  const mutants = await new Stryker(optionsFor(folder)).runMutationTest();
  scores.push(scoreOf(folder, mutants, Date.now() - started));
  console.log(survivors(mutants));
}
console.log(section(scores));
if (chosen.length === 0) keepSections([section(scores)]);
