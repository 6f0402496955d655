/**
 * `npm run mutation`: changes the code of lib/arguments, lib/api and lib/output in every place where a change could be a
 * mistake, and counts how many of them a suite notices. `npm run mutation -- output` does one folder and writes nothing.
 * The survivors are in node_modules/.cache/mutation, a JSON report for each folder.
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
