/** Measures the runtime's own work for a command, without a network: lists of topics from line to text. */
import { importText } from '../bundle.mjs';
import { spread, table } from './measure.mjs';

const ROUNDS = 15;
const WARM = 2000;
const RUNS = 200;
const ROWS = 50;

const FORMATS = [
  ['markdown', 'markdown'],
  ['table', 'columns of a terminal'],
  ['json', 'JSON'],
];
const FEW = 1000;
const MANY = 10_000;
const LONG_ROUNDS = 9;

export async function measureDispatch() {
  const { openTopicList } = await importText("export { openTopicList } from './scripts/bench/topic-lists.ts';\n");
  const short = await fiftyRows(openTopicList);
  const long = await longLists(openTopicList);
  return `## Dispatch without network\n\n${short}\n${long}`;
}

async function fiftyRows(open) {
  const plain = await open(ROWS);
  const marked = await open(ROWS, false);
  const [answer = ''] = plain.answers;
  const result = await plain.run();
  const whole = async ({ run, render }) => render(await run(), 'markdown');
  if (!(await whole(plain)).includes(`topic ${ROWS - 1}`)) throw new Error('The table lacks a row.');
  const works = [
    ['from line to markdown', () => whole(plain)],
    ['of that: line and arguments', () => plain.readArguments()],
    ['of that: line, arguments, request, response, records, cells, context', () => plain.run()],
    ['of that: markdown', () => plain.render(result, 'markdown')],
    ['from line to markdown, descriptions full of markup and wide characters', () => whole(marked)],
    ['`JSON.parse` of the response', () => JSON.parse(answer)],
    ['`JSON.parse` and `JSON.stringify` of the response', () => JSON.stringify(JSON.parse(answer))],
  ];
  for (const [, work] of works) await perRun(work, WARM);
  const times = await interleaved(works, ROUNDS, (work) => perRun(work, RUNS));
  const [parsing, both] = times.slice(-2);
  const rows = works.map(([title], index) => [
    title,
    spread(times[index], 3),
    spread(over(times[index], parsing)),
    spread(over(times[index], both)),
  ]);
  const note = `A list of ${ROWS} rows (${Math.round(answer.length / 1024)} KiB of JSON), in a warm process that holds a token. Milliseconds of CPU time; ${ROUNDS} rounds.`;
  return `${note}\n\n${table(['work', 'ms', 'relative to `JSON.parse`', 'relative to both'], rows)}`;
}

/** Measures whether a row of a long list costs more than one of a short list. */
async function longLists(open) {
  const lists = [await open(FEW), await open(MANY)];
  const rows = [];
  for (const [format, title] of FORMATS) {
    const works = lists.map((list) => [title, async () => list.render(await list.run(), format)]);
    const runs = [MANY / FEW, 1];
    for (const [index, [, work]] of works.entries()) await perRun(work, 3 * (runs[index] ?? 1));
    const [few, many] = await interleaved(works, LONG_ROUNDS, (work, index) => perRun(work, runs[index] ?? 1));
    const growth = over(many, few).map((ratio) => ratio / (MANY / FEW));
    rows.push([title, spread(few, 1), spread(many, 1), spread(growth)]);
  }
  const note = `Long lists, from line to text, in pages of 100, without a limit of the context. Growth is the time per row of ${MANY} rows relative to that of ${FEW}: 1 is linear. The excess is garbage collection, because the records of a long list outlive the young generation.`;
  return `${note}\n\n${table(['text', `${FEW} rows, ms`, `${MANY} rows, ms`, 'growth'], rows)}`;
}

/** Measures in interleaved rounds. @returns the figures of each work, one for each round */
async function interleaved(works, rounds, measure) {
  const figures = works.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, [, work]] of works.entries()) figures[index].push(await measure(work, index));
  }
  return figures;
}

function over(figures, others) {
  return figures.map((figure, round) => figure / others[round]);
}

/** Measures CPU milliseconds per run, garbage collection included; CPU time does not depend on other processes. */
async function perRun(work, runs) {
  const start = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e3 / runs;
}
