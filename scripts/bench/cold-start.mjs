/**
 * Measures whole processes, compared with an empty Node process in the same round, and with a minimal program of the same kind.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { AISEC, startProgram } from '../start-program.mjs';
import { emptyNode, interleaved, measuredOn, median, over, spread, table, timeOf } from './measure.mjs';
import { NONE, withServices } from './processes.mjs';

const ROUNDS = 41;
/** Ctrl-U clears the line; otherwise it would run when the input ends. */
const CLEAR = '\x15';
/** Timeout of a completion. */
const COMPLETION_MS = 20_000;
const KEYS = join(ROOT, 'scripts', 'bench', 'as-terminal.cjs');
const floor = (name) => join(ROOT, 'scripts', 'bench', 'floors', name);
export const SCAN = '!aisec-runtime-scan profile_name=prod prompt=hello';

/** Minimal programs. */
const FLOORS = {
  print: { about: 'a one-line program that prints', time: ({ run }) => run('-e', "process.stdout.write('aisec\\n')") },
  request: { about: 'one bare `node:http` request', time: ({ run }) => run(floor('request.cjs')) },
  interactive: {
    about: "Node's own `readline`, with one completion",
    time: ({ complete }) => complete(floor('repl.cjs')),
  },
};

/** Starts of the program, each with the minimal program of its kind. Starts with a warm code cache come before starts that delete it. */
const STARTS = [
  { title: '`aisec --version`', kind: 'print', time: ({ run }) => run(AISEC, '--version') },
  { title: '`aisec commands`', kind: 'print', time: ({ run }) => run(AISEC, 'commands') },
  {
    title: '`aisec help aisec-runtime-scan`',
    kind: 'print',
    time: ({ run }) => run(AISEC, 'help', 'aisec-runtime-scan'),
  },
  {
    title: 'the war room: prompt, Tab on a command, exit',
    kind: 'interactive',
    time: ({ complete }) => complete(AISEC),
  },
  { title: 'one scan against a service on this machine', kind: 'request', time: ({ run }) => run(AISEC, SCAN) },
  { title: '`aisec --version`, first start', kind: 'print', time: ({ first }) => first('--version') },
  { title: 'one scan, first start', kind: 'request', time: ({ first }) => first(SCAN) },
];

export async function measureColdStart() {
  return withServices(async ({ folder, openService }) => {
    const service = await openService(NONE);
    const environment = { ...service.settings, HOME: folder };
    const run = (...args) => timeOf([process.execPath, ...args], environment);
    const complete = (program) => completionTime(program, environment);
    const first = (...args) => {
      rmSync(join(folder, '.cache'), { recursive: true, force: true });
      return run(AISEC, ...args);
    };
    const measured = [{ time: emptyNode }, ...Object.values(FLOORS), ...STARTS, { time: warm }];
    const [empty, ...times] = await interleaved(measured, ROUNDS, ({ time }) => time({ run, complete, first }));
    await service.close();
    return section(times.map((figures) => over(figures, empty)));
  });
}

/** Fills the code cache. */
async function warm({ run, complete }) {
  for (const args of [['--version'], ['commands'], ['help', 'aisec-runtime-scan'], [SCAN]]) run(AISEC, ...args);
  await complete(AISEC);
}

/** @param ratios to an empty Node, by round, for the minimal programs and for the starts */
function section(ratios) {
  const kinds = Object.keys(FLOORS);
  const limitOf = (kind) => `${median(ratios[kinds.indexOf(kind)]).toFixed(2)}: ${FLOORS[kind].about}`;
  const rows = STARTS.map(({ title, kind }, at) => [title, spread(ratios[kinds.length + at]), limitOf(kind)]);
  const note = `An empty process (\`node -e 0\`) is 1; ${ROUNDS} rounds. The limit is a minimal program of the same kind (\`scripts/bench/floors/\`), measured in the same rounds.
The environment of every process is \`PATH\`, \`HOME\` and the settings: a variable such as \`NODE_EXTRA_CA_CERTS\` makes the empty process several times slower, and so every
ratio smaller. V8's compiled code is cached from the second start on (\`docs/decisions.md\`, 38). ${measuredOn()}`;
  return `## Cold start\n\n${note}\n\n${table(['command', 'ratio', 'limit'], rows)}`;
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
