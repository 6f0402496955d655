/** The runtime's own work for one command: a list of 50 rows from line to table, without a network and without waiting. */
import { importText } from '../bundle.mjs';
import { median, table } from './measure.mjs';

const ROUNDS = 9;
const RUNS = 200;

export async function measureDispatch() {
  const { fiftyRows, parseOnly } = await importText(
    "export { fiftyRows, parseOnly } from './scripts/bench/fifty-rows.ts';\n",
  );
  await fiftyRows(RUNS);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ whole: await perRun(fiftyRows), json: await perRun(async (runs) => parseOnly(runs)) });
  }
  const whole = median(rounds.map((round) => round.whole));
  const ratio = median(rounds.map(({ whole: all, json }) => all / json));
  const rows = [
    [
      'a list of 50 rows: line, arguments, token, request, records, context, markdown',
      ratio.toFixed(1),
      (1000 / whole).toFixed(0),
    ],
  ];
  const note = '`JSON.parse` of the same answer is 1; the last column is only good for the machine that printed it.';
  return `## Dispatch without network\n\n${note}\n\n${table(['work', 'ratio', 'a second here'], rows)}`;
}

async function perRun(work) {
  const start = process.hrtime.bigint();
  await work(RUNS);
  return Number(process.hrtime.bigint() - start) / 1e6 / RUNS;
}
