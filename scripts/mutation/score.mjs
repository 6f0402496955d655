/** Scores a mutation run: figures for docs/benchmarks.md, and a list of survivors. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { table } from '../bench/measure.mjs';
import { ROOT } from '../root.mjs';

const { version } = createRequire(import.meta.url)('@stryker-mutator/core/package.json');

/** Counts the results of one folder. @param milliseconds duration of the run */
export function scoreOf(folder, mutants, milliseconds) {
  const count = (status) => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, looped, survived, unseen] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(count);
  const all = killed + looped + survived + unseen;
  const percent = ((100 * (killed + looped)) / all).toFixed(1);
  return { folder, all, killed, looped, survived, unseen, percent, minutes: (milliseconds / 60_000).toFixed(1) };
}

/** Renders the section of docs/benchmarks.md. */
export function section(scores) {
  const rows = scores.map(({ folder, all, killed, looped, survived, unseen, percent, minutes }) =>
    [`lib/${folder}`, all, killed, looped, survived, unseen, `${percent} %`, minutes].map(String),
  );
  const columns = ['folder', 'mutants', 'killed', 'timed out', 'survived', 'not covered', 'score', 'minutes here'];
  const today = new Date().toISOString().slice(0, 10);
  return `## Mutation testing

Written by \`npm run mutation\` on ${today} with Stryker ${version} and Node ${process.version}, two mutants at a time. Each folder is tested by its
own suites alone (\`tests/arguments\` for \`lib/arguments\`), with all mutators, those of messages included. \`docs/decisions.md\` (Build) describes the
survivors.

${table(columns, rows)}`;
}

/** Lists surviving mutants, one on each line; lines and columns are counted from 1. */
export function survivors(mutants) {
  return mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ fileName, location: { start, end }, replacement, status }) => {
      const text = readFileSync(fileName, 'utf8').split('\n')[start.line - 1] ?? '';
      const last = start.line === end.line ? end.column - 1 : undefined;
      const was = `${text.slice(start.column - 1, last)}${last === undefined ? ' ...' : ''}`;
      const met = status === 'NoCoverage' ? ' (not covered)' : '';
      return `${relative(ROOT, fileName)}:${start.line}${met}: ${was} => ${replacement?.replace(/\s+/g, ' ')}`;
    })
    .join('\n');
}
