/** Scores a mutation run: figures for docs/benchmarks.md, and a list of survivors. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { table } from '../bench/measure.mjs';
import { ROOT } from '../root.mjs';
import { AREA_NAMES, areaOf } from './areas.mjs';

const { version } = createRequire(import.meta.url)('@stryker-mutator/core/package.json');
const HEADING = '## Mutation testing';
const COLUMNS = ['area or file', 'mutants', 'killed', 'timed out', 'survived', 'not covered', 'score', 'minutes here'];

/** Counts the results of each file. */
export function fileRowsOf(mutants) {
  const files = [...new Set(mutants.map(({ fileName }) => fileName))].sort();
  return files.map((file) =>
    rowOf(
      relative(ROOT, file),
      mutants.filter(({ fileName }) => fileName === file),
    ),
  );
}

/** Counts the results of an area or a file. @param milliseconds duration of the run; none for files, which run together */
export function rowOf(name, mutants, milliseconds) {
  const counts = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(
    (status) => mutants.filter((mutant) => mutant.status === status).length,
  );
  const [killed, looped, survived, unseen] = counts;
  const all = killed + looped + survived + unseen;
  const minutes = milliseconds === undefined ? '' : (milliseconds / 60_000).toFixed(1);
  return [name, all, ...counts, `${((100 * (killed + looped)) / all).toFixed(1)} %`, minutes].map(String);
}

/** Renders rows. */
export function tableOf(rows) {
  return table(COLUMNS, rows);
}

/**
 * Renders the section of docs/benchmarks.md. Areas and files that were not measured keep their figures in the document, but a
 * whole area replaces its files.
 */
export function section(rows, document) {
  const measured = new Map([...rowsIn(document), ...rows].map((row) => [row[0], row]));
  const isReplaced = (file) => rows.some(([area]) => AREA_NAMES.includes(area) && isIn(file, area));
  const files = [...measured.keys()].filter((name) => name.includes('/') && !isReplaced(name)).sort();
  const names = [...AREA_NAMES.filter((name) => measured.has(name)), ...files];
  return `${HEADING}

Written by \`npm run mutation -- --record\` with Stryker ${version} and Node ${process.version}. \`scripts/mutation/areas.mjs\` lists the sources and the suites
of each area: its own short tests alone, with all mutators, messages included. Single files stand for areas that take too long.

${tableOf(names.map((name) => measured.get(name)))}`;
}

function isIn(file, area) {
  return areaOf(area).sources.some((source) => file === source || file.startsWith(`${source}/`));
}

/** Reads the rows of the section in a document. */
function rowsIn(document) {
  const [, after = ''] = document.split(HEADING);
  const lines = after.split(/^## /m)[0].split('\n');
  const cells = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | '));
  return cells.slice(2);
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
