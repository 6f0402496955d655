/** Scores a mutation run: figures for docs/benchmarks.md, and a list of survivors. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { table } from '../bench/measure.mjs';
import { ROOT } from '../root.mjs';
import { AREA_NAMES, areaOf } from './areas.mjs';

const { version } = createRequire(import.meta.url)('@stryker-mutator/core/package.json');

/** Counts the results of each file. */
export function fileScoresOf(mutants) {
  const files = [...new Set(mutants.map(({ fileName }) => fileName))].sort();
  return files.map((file) => {
    const its = mutants.filter(({ fileName }) => fileName === file);
    return scoreOf(relative(ROOT, file), its, 0);
  });
}

/** Counts the results of one area, or of one file. @param milliseconds duration of the run */
export function scoreOf(area, mutants, milliseconds) {
  const count = (status) => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, looped, survived, unseen] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(count);
  const all = killed + looped + survived + unseen;
  const percent = ((100 * (killed + looped)) / all).toFixed(1);
  return { area, all, killed, looped, survived, unseen, percent, minutes: (milliseconds / 60_000).toFixed(1) };
}

const COLUMNS = ['area', 'mutants', 'killed', 'timed out', 'survived', 'not covered', 'score', 'minutes here'];

/** Of a file without its duration, because files are measured together. */
const FILE_COLUMNS = ['file', ...COLUMNS.slice(1, -1)];

/** Renders the figures of areas as a table. */
export function tableOf(scores) {
  return table(COLUMNS, scores.map(cellsOf));
}

/** Renders the figures of files as a table. */
export function fileTableOf(scores) {
  return table(FILE_COLUMNS, scores.map(fileCellsOf));
}

function fileCellsOf(score) {
  return cellsOf(score).slice(0, -1);
}

function cellsOf({ area, all, killed, looped, survived, unseen, percent, minutes }) {
  return [area, all, killed, looped, survived, unseen, `${percent} %`, minutes].map(String);
}

/**
 * Renders the section of docs/benchmarks.md. What was not measured keeps the figures that the document has, but a whole area
 * replaces those of its files.
 * @param scores of whole areas
 * @param fileScores of single files
 * @param document text of docs/benchmarks.md
 */
export function section({ scores, fileScores }, document) {
  const before = rowsIn(document);
  const measured = new Map([...before, ...scores.map((score) => [score.area, cellsOf(score)])]);
  const rows = AREA_NAMES.filter((name) => measured.has(name)).map((name) => measured.get(name));
  const isReplaced = (file) => scores.some(({ area }) => isIn(file, area));
  const files = new Map(before.filter(([name]) => name.startsWith('lib/') && !isReplaced(name)));
  for (const score of fileScores) files.set(score.area, fileCellsOf(score));
  return `${HEADING}

Written by \`npm run mutation -- --record\` with Stryker ${version} and Node ${process.version}. \`scripts/mutation/areas.mjs\` lists the sources and the suites
of each area: its own short tests alone, with all mutators, those of messages included. \`docs/decisions.md\` (Build) describes the survivors.

${table(COLUMNS, rows)}${files.size === 0 ? '' : `\n${FILES_INTRODUCTION}\n\n${table(FILE_COLUMNS, filesInOrder(files))}`}`;
}

const FILES_INTRODUCTION =
  'Single files of areas that were not measured as a whole, each by all suites of its area (`npm run mutation -- gate lib/features/gate/decide.ts --record`):';

function filesInOrder(files) {
  return [...files.values()].sort(([one], [other]) => (one < other ? -1 : 1));
}

function isIn(file, area) {
  return areaOf(area).sources.some((source) => file === source || file.startsWith(`${source}/`));
}

const HEADING = '## Mutation testing';

/** Reads the rows of the section in a document, by area. */
function rowsIn(document) {
  const [, after = ''] = document.split(HEADING);
  const [text = ''] = after.split(/^## /m);
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.map((line) => line.slice(2, -2).split(' | ')).map((cells) => [cells[0], cells]);
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
