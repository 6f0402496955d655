/** Measures the native bundle: its size, and the first command in a bare engine, for commands of every kind. */
import { createContext, Script } from 'node:vm';
import { importText } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { median, range, repeated, table } from './measure.mjs';

const ROUNDS = 7;
const COMMANDS = [
  { command: 'test-module', args: {} },
  { command: 'aisec-runtime-scan', args: { profile_name: 'prod', prompt: 'hello' } },
  { command: 'aisec-runtime-topics-list', args: { limit: '50' } },
  { command: 'aisec-runtime-profiles-get', args: { profile_name: 'prod' } },
  { command: 'aisec-runtime-dlp-profiles-list', args: {} },
  { command: 'aisec-runtime-bulk-scan', args: { profile_name: 'prod', prompts_csv: 'prompt\nhello\ngood morning\n' } },
  { command: 'aisec-model-security-groups-list', args: {} },
  { command: 'aisec-redteam-targets-list', args: {} },
  { command: 'aisec-redteam-languages-list', args: {} },
];

export async function measurePlatform() {
  const { platformBundle, createService, instanceOf, openTopicList } = await importText(`
    export { platformBundle } from './scripts/platform-bundle/bundle.ts';
    export { createService } from './fixtures/service/index.ts';
    export { instanceOf } from './tests/support/engine.ts';
    export { openTopicList } from './scripts/bench/topic-lists.ts';
  `);
  const { text } = await platformBundle(ROOT);
  const { run } = openTopicList(50);
  await repeated(run, { calls: 20 });
  const found = COMMANDS.map(({ command }) => ({ command, compile: [], run: [], both: [], ratios: [] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    const node = (await repeated(run, { calls: 10 })).seconds * 100;
    for (const [index, { command, args }] of COMMANDS.entries()) {
      const { compile, run } = first(text, `${round} ${command}`, {
        ...instanceOf(createService()).globals,
        command,
        args,
      });
      const into = found[index];
      into.compile.push(compile);
      into.run.push(run);
      into.both.push(compile + run);
      into.ratios.push((compile + run) / node);
    }
  }
  return section(found, Buffer.byteLength(text));
}

/** Compiles and runs the bundle in a new context without a code cache, as the platform does for each command. @returns milliseconds */
function first(text, mark, engineGlobals) {
  // V8 caches compiled code by source text; the mark makes each text different.
  const script = timed(() => new Script(`(function () {${text}\n})() // ${mark}`));
  const engine = createContext(engineGlobals);
  const run = timed(() => script.value.runInContext(engine));
  const failed = typeof run.value === 'object' ? run.value?.Type === 4 : run.value !== 'ok';
  if (failed) throw new Error(`${mark} failed in the bare engine: ${JSON.stringify(run.value).slice(0, 500)}`);
  return { compile: script.ms, run: run.ms };
}

function section(found, bytes) {
  const sorted = [...found].sort((a, b) => median(a.both) - median(b.both));
  const row = (title, { compile, run, both, ratios }) => [
    title,
    ...[compile, run, both].map((values) => range(values, 0)),
    range(ratios, 1),
  ];
  const [middle, slowest] = [sorted[Math.floor(found.length / 2)], sorted.at(-1)];
  const rows = [
    row(`median of ${found.length} commands, \`${middle.command}\``, middle),
    row(`the slowest, \`${slowest.command}\``, slowest),
  ];
  const note = `The bundle has ${bytes} bytes (${Math.round(bytes / 1000)} kB). It is compiled and loaded again for each command, in an engine with
nothing but the language. A list of 50 topics through the running Node host is 1.
Medians of ${ROUNDS} rounds, with minimum and maximum in parentheses.`;
  const columns = ['first command', 'compile, ms', 'load and run, ms', 'both, ms', 'ratio'];
  return `## In the platform's engine\n\n${note}\n\n${table(columns, rows)}`;
}

function timed(work) {
  const start = performance.now();
  const value = work();
  return { value, ms: performance.now() - start };
}
