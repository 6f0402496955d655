/** What a run of mutants came to: figures for docs/benchmarks.md, and the survivors, to be read. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { table } from '../bench/measure.mjs';
import { ROOT } from '../root.mjs';

const { version } = createRequire(import.meta.url)('@stryker-mutator/core/package.json');

/** @param milliseconds how long it took */
export function scoreOf(folder, mutants, milliseconds) {
  const count = (status) => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, looped, survived, unseen] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(count);
  const all = killed + looped + survived + unseen;
  const percent = ((100 * (killed + looped)) / all).toFixed(1);
  return { folder, all, killed, looped, survived, unseen, percent, minutes: (milliseconds / 60_000).toFixed(1) };
}

/** The section of docs/benchmarks.md. */
export function section(scores) {
  const rows = scores.map(({ folder, all, killed, looped, survived, unseen, percent, minutes }) =>
    [`lib/${folder}`, all, killed, looped, survived, unseen, `${percent} %`, minutes].map(String),
  );
  const columns = [
    'folder',
    'mutants',
    'failed a test',
    'never ended',
    'survived',
    'met no test',
    'score',
    'minutes here',
  ];
  const today = new Date().toISOString().slice(0, 10);
  return `## Mutation testing

Written by \`npm run mutation\` on ${today} with Stryker ${version} and Node ${process.version}, two mutants at a time. Each folder is held against its
own suites alone (\`tests/arguments\` for \`lib/arguments\`), all mutators, texts for people included; nothing is left out. What the
survivors are is described in \`docs/decisions.md\`.

${table(columns, rows)}`;
}

/** A line for each mutant that nothing noticed; lines and columns are counted from 1. */
export function survivors(mutants) {
  return mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ fileName, location: { start, end }, replacement, status }) => {
      const text = readFileSync(fileName, 'utf8').split('\n')[start.line - 1] ?? '';
      const last = start.line === end.line ? end.column - 1 : undefined;
      const was = `${text.slice(start.column - 1, last)}${last === undefined ? ' ...' : ''}`;
      const met = status === 'NoCoverage' ? ' (met no test)' : '';
      return `${relative(ROOT, fileName)}:${start.line}${met}: ${was} => ${replacement?.replace(/\s+/g, ' ')}`;
    })
    .join('\n');
}
