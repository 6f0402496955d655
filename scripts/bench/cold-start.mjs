/** Measures whole processes, compared with an empty Node of the same round, and with a minimal program of the same kind. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { AISEC, startProgram } from '../start-program.mjs';
import { measuredOn, median, spread, table, timeOf } from './measure.mjs';
import { NONE, withServices } from './processes.mjs';

const ROUNDS = 41;
/** Ctrl-U clears the line, which would run when the input ends. */
const CLEAR = '\x15';
/** Timeout of a completion. */
const COMPLETION_MS = 20_000;
const KEYS = join(ROOT, 'scripts', 'bench', 'as-terminal.cjs');
const floor = (name) => join(ROOT, 'scripts', 'bench', 'floors', name);
export const SCAN = '!aisec-runtime-scan profile_name=prod prompt=hello';

export async function measureColdStart() {
  return withServices(async ({ folder, openService }) => {
    const service = await openService(NONE);
    const environment = { ...service.settings, HOME: folder };
    const run = (...args) => timeOf([process.execPath, ...args], environment);
    const interactive = (program) => completionTime(program, environment);
    const first = (...args) => {
      rmSync(join(folder, '.cache'), { recursive: true, force: true });
      return run(AISEC, ...args);
    };
    // Runs with a warm code cache come before those that delete it.
    const found = await interleaved([
      { key: 'print', time: () => run(floor('print.cjs')) },
      { key: 'request', time: () => run(floor('request.cjs')) },
      { key: 'interactive', time: () => interactive(floor('repl.cjs')) },
      { title: '`aisec --version`', floor: 'print', time: () => run(AISEC, '--version') },
      { title: '`aisec commands`', floor: 'print', time: () => run(AISEC, 'commands') },
      {
        title: '`aisec help aisec-runtime-scan`',
        floor: 'print',
        time: () => run(AISEC, 'help', 'aisec-runtime-scan'),
      },
      {
        title: 'the war room: prompt, Tab on a command, exit',
        floor: 'interactive',
        time: () => interactive(AISEC),
      },
      { title: 'one scan against a service on this machine', floor: 'request', time: () => run(AISEC, SCAN) },
      { title: '`aisec --version`, first start', floor: 'print', time: () => first('--version') },
      {
        title: 'one scan, first start',
        floor: 'request',
        time: () => first(SCAN),
        after: () => warm(run, interactive),
      },
    ]);
    await service.close();
    return section(found);
  });
}

/** Fills the code cache. */
async function warm(run, interactive) {
  for (const args of [['--version'], ['commands'], ['help', 'aisec-runtime-scan'], [SCAN]]) run(AISEC, ...args);
  await interactive(AISEC);
}

const FLOORS = {
  print: 'a one-line program that prints',
  request: 'one bare `node:http` request',
  interactive: "Node's own `readline`, with one completion",
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
  const note = `An empty process (\`node -e 0\`) is 1; ${ROUNDS} rounds. The limit is a minimal program of the same kind (\`scripts/bench/floors/\`), measured in the same rounds.
The environment of every process is \`PATH\`, \`HOME\` and the settings: a variable such as \`NODE_EXTRA_CA_CERTS\` makes the empty process several times slower, and so every
ratio smaller. V8's compiled code is cached from the second start on (\`docs/decisions.md\`, Build). ${measuredOn()}`;
  return `## Cold start\n\n${note}\n\n${table(['command', 'ratio', 'limit'], rows)}`;
}

/**
 * Measures programs in interleaved rounds, with an empty Node in each round.
 * @param programs `time` runs a program once and returns milliseconds; `after` cleans up
 * @returns the programs with their `times`, and `ratios` to the empty Node of the same round
 */
export async function interleaved(programs, rounds = ROUNDS) {
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

/** Starts the prompt and presses Tab. @returns milliseconds from the start of the program to its end */
async function completionTime(program, environment) {
  const start = performance.now();
  const { child, stdout, ended } = await startProgram(['-r', KEYS, program], {
    environment: { ...environment, TERM: 'xterm' },
    stdio: 'pipe',
    timeout: COMPLETION_MS,
  });
  child.stdout.on('data', () => {
    if (stdout.text.includes('!aisec-runtime-bulk-scan') && !child.stdin.writableEnded) child.stdin.end(CLEAR);
  });
  child.stdin.write('!aisec-runtime-bulk-\t');
  const { code } = await ended;
  if (code !== 0 || !stdout.text.includes('!aisec-runtime-bulk-scan')) throw new Error(`no completion: ${stdout.text}`);
  return performance.now() - start;
}
