/** From the shell to the answer: whole processes, each compared with an empty Node of the same round, and with the least that such a process takes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { cleanEnvironment, measuredOn, median, spread, table, timeOf } from './measure.mjs';
import { AISEC, NONE, withServices } from './processes.mjs';

const ROUNDS = 41;
/** Ctrl-U: what is on the line when the input ends would be answered. */
const CLEAR = '\x15';
/** Longer than any completion takes. */
const COMPLETION_MS = 20_000;
const KEYS = join(ROOT, 'scripts', 'bench', 'as-terminal.cjs');
const floor = (name) => join(ROOT, 'scripts', 'bench', 'floors', name);
export const SCAN = '!aisec-runtime-scan profile_name=prod prompt=hello';

export async function measureColdStart() {
  return withServices(async ({ folder, openService }) => {
    const service = await openService(NONE);
    const environment = { ...service.settings, HOME: folder };
    const run = (...words) => timeOf([process.execPath, ...words], environment);
    const conversation = (program) => completionTime(program, environment);
    const first = (...words) => {
      rmSync(join(folder, '.cache'), { recursive: true, force: true });
      return run(AISEC, ...words);
    };
    // What runs with code that was kept comes before what has it made again: in each round it is there already.
    const found = await inTurns([
      { key: 'print', time: () => run(floor('print.cjs')) },
      { key: 'request', time: () => run(floor('request.cjs')) },
      { key: 'fetch', time: () => run(floor('fetch.cjs')) },
      { key: 'conversation', time: () => conversation(floor('conversation.cjs')) },
      { title: '`aisec --version`', floor: 'print', time: () => run(AISEC, '--version') },
      { title: '`aisec commands`', floor: 'print', time: () => run(AISEC, 'commands') },
      {
        title: '`aisec help aisec-runtime-scan`',
        floor: 'print',
        time: () => run(AISEC, 'help', 'aisec-runtime-scan'),
      },
      {
        title: 'the war room: its prompt, Tab on a command, and out again',
        floor: 'conversation',
        time: () => conversation(AISEC),
      },
      { title: 'one scan against a service on this machine', floor: 'request', time: () => run(AISEC, SCAN) },
      { title: '`aisec --version`, the first start of all', floor: 'print', time: () => first('--version') },
      {
        title: 'one scan, the first start of all',
        floor: 'request',
        time: () => first(SCAN),
        after: () => warm(run, conversation),
      },
    ]);
    await service.close();
    return section(found);
  });
}

/** Has the code of every start made and kept. */
async function warm(run, conversation) {
  for (const words of [['--version'], ['commands'], ['help', 'aisec-runtime-scan'], [SCAN]]) run(AISEC, ...words);
  await conversation(AISEC);
}

const FLOORS = {
  print: 'a program of one line that prints',
  request: 'one bare `node:http` request',
  fetch: 'one bare `fetch`',
  conversation: "Node's own `readline`, with one completion",
};

function section(found) {
  const floorOf = (key) => found.find((row) => row.key === key);
  const rows = found
    .filter(({ title }) => title !== undefined)
    .map(({ title, ratios, floor }) => [
      title,
      spread(ratios),
      `${median(floorOf(floor).ratios).toFixed(2)}: ${FLOORS[floor]}`,
    ]);
  const note = `One empty process (\`node -e 0\`) is 1: median of ${ROUNDS} rounds in which everything takes its turn, and where the middle half lies.
The limit is the least that a process of its kind takes, measured in the same rounds (\`scripts/bench/floors/\`). Every process has \`PATH\` and \`HOME\`
for an environment, and beside them the settings alone: a variable such as \`NODE_EXTRA_CA_CERTS\` makes the empty process several times as slow, and every ratio to it a smaller one.
From the second start on V8's code is kept (\`docs/decisions.md\`); the first one makes it. ${measuredOn()}`;
  const others = `For comparison: ${FLOORS.fetch} takes ${spread(floorOf('fetch').ratios)}.`;
  return `## Cold start\n\n${note}\n\n${table(['command', 'ratio', 'limit'], rows)}\n${others}\n`;
}

/**
 * Runs programs in turns, and an empty Node in each round.
 * @param programs what is measured: `time` runs it once, in milliseconds; `after` is done when its turn is over
 * @returns the programs with `ratios` to the empty Node of the same round, and their `times`
 */
export async function inTurns(programs, rounds = ROUNDS) {
  const found = programs.map((program) => ({ ...program, ratios: [], times: [] }));
  for (const { time, after } of found) {
    await time();
    await after?.();
  }
  for (let round = 0; round < rounds; round += 1) {
    const empty = timeOf([process.execPath, '-e', '0']);
    for (const program of found) {
      const milliseconds = await program.time();
      program.times.push(milliseconds);
      program.ratios.push(milliseconds / empty);
      await program.after?.();
    }
  }
  return found;
}

/** A conversation in which only Tab is pressed. @returns milliseconds from the start of the program to its end */
async function completionTime(program, environment) {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, ['-r', KEYS, program], {
    env: cleanEnvironment({ ...environment, TERM: 'xterm' }),
    timeout: COMPLETION_MS,
  });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.resume();
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    said += piece;
    if (said.includes('!aisec-runtime-bulk-scan') && !child.stdin.writableEnded) child.stdin.end(CLEAR);
  });
  child.stdin.write('!aisec-runtime-bulk-\t');
  const [status] = await ended;
  if (status !== 0 || !said.includes('!aisec-runtime-bulk-scan')) throw new Error(`no completion: ${said}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}
