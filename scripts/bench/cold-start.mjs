/** From the shell to the answer: whole processes, each compared with an empty Node of the same round. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { range, table, timeOf } from './measure.mjs';
import { AISEC, NONE, withServices } from './processes.mjs';

const ROUNDS = 21;
/** Ctrl-U: what is on the line when the input ends would be answered. */
const CLEAR = '\x15';
/** Longer than any completion takes. */
const COMPLETION_MS = 20_000;
const KEYS = join(ROOT, 'scripts', 'build', 'as-terminal.cjs');
export const SCAN = '!aisec-runtime-scan profile_name=prod prompt=hello';
const NOTE = `One empty process (\`node -e 0\`) is 1: median of ${ROUNDS} rounds in which everything takes its turn, and between which figures all of them lie.`;

export async function measureColdStart() {
  return withServices(async ({ folder, openService }) => {
    const service = await openService(NONE);
    const environment = { ...service.settings, HOME: folder, XDG_STATE_HOME: folder };
    const program = (...words) => ({ time: () => timeOf([process.execPath, AISEC, ...words], environment) });
    const found = await inTurns([
      { title: '`aisec --version`', ...program('--version') },
      { title: '`aisec commands`', ...program('commands') },
      { title: '`aisec help aisec-runtime-scan`', ...program('help', 'aisec-runtime-scan') },
      { title: 'the war room: its prompt, Tab on a command, and out again', time: () => completionTime(environment) },
      { title: 'one scan against a service on this machine', ...program(SCAN) },
    ]);
    await service.close();
    const rows = found.map(({ title, ratios }) => [title, range(ratios)]);
    return `## Cold start\n\n${NOTE}\n\n${table(['command', 'ratio'], rows)}`;
  });
}

/**
 * Runs programs in turns, and an empty Node in each round.
 * @param programs what is measured: `time` runs it once, in milliseconds
 * @returns the programs with `ratios` to the empty Node of the same round, and their `times`
 */
export async function inTurns(programs, rounds = ROUNDS) {
  const found = programs.map((program) => ({ ...program, ratios: [], times: [] }));
  for (const { time } of found) await time();
  for (let round = 0; round < rounds; round += 1) {
    const empty = timeOf([process.execPath, '-e', '0']);
    for (const program of found) {
      const milliseconds = await program.time();
      program.times.push(milliseconds);
      program.ratios.push(milliseconds / empty);
    }
  }
  return found;
}

/** A conversation in which only Tab is pressed. @returns milliseconds from the start of the program to its end */
async function completionTime(environment) {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, ['-r', KEYS, AISEC], {
    env: { ...process.env, ...environment, TERM: 'xterm' },
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
