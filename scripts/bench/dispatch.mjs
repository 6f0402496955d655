/** Measures the runtime's own work for a command, without a network: a list of topics from line to text. */
import { importText } from '../bundle.mjs';
import { cpuTimeOf, interleaved, over, spread, table } from './measure.mjs';

const ROUNDS = 15;
const WARM = 2000;
const RUNS = 200;
const ROWS = 50;

export async function measureDispatch() {
  const { openTopicList } = await importText("export { openTopicList } from './scripts/bench/topic-lists.ts';\n");
  const plain = openTopicList(ROWS);
  const marked = openTopicList(ROWS, false);
  if (!(await plain.run()).includes(`topic ${ROWS - 1}`)) throw new Error('The table lacks a row.');
  const works = [
    ['from line to markdown', plain.run],
    ['from line to markdown, descriptions full of markup and wide characters', marked.run],
    ['`JSON.parse` of the response', () => JSON.parse(plain.answer)],
    ['`JSON.parse` and `JSON.stringify` of the response', () => JSON.stringify(JSON.parse(plain.answer))],
  ];
  for (const [, work] of works) await perRun(work, WARM);
  const times = await interleaved(works, ROUNDS, ([, work]) => perRun(work, RUNS));
  const [parsing, both] = times.slice(-2);
  const rows = works.map(([title], index) => [
    title,
    spread(times[index], 3),
    spread(over(times[index], parsing)),
    spread(over(times[index], both)),
  ]);
  const note = `A list of ${ROWS} rows (${Math.round(plain.answer.length / 1024)} KiB of JSON), in a warm process that holds a token. Milliseconds of CPU time; ${ROUNDS} rounds.`;
  return `## Dispatch without network\n\n${note}\n\n${table(['work', 'ms', 'relative to `JSON.parse`', 'relative to both'], rows)}`;
}

/** Measures CPU milliseconds per run; CPU time does not depend on other processes. */
async function perRun(work, runs) {
  const all = await cpuTimeOf(async () => {
    for (let run = 0; run < runs; run += 1) await work();
  });
  return all / runs;
}
