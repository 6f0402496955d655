import { parse } from 'acorn';
import { registry } from '../../commands/index.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import type { ServiceOptions } from '../../fixtures/service/types.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { compileChecks } from '../../lib/arguments/checks.ts';
import type { Argument } from '../../lib/arguments/words.ts';
import type { Command } from '../../lib/command.ts';
import { entryOf, errorEntry, warningEntry } from '../../lib/output/entry.ts';
import type { Transport } from '../../lib/ports.ts';
import type { Result } from '../../lib/result.ts';
import type { Runtime } from '../../lib/runtime.ts';
import { platformBundle } from '../../scripts/platform-bundle.ts';
import { type Engine, enginesFor, type OpenEngine, plain } from '../support/engine.ts';
import { everywhere, LINE_FILES, LINE_ROWS, LINES, lineRoom, lineService } from '../support/lines.ts';
import type { WarRoom } from '../support/simulated.ts';

const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

let open: OpenEngine;

beforeAll(async () => {
  open = enginesFor(await platformBundle(ROOT));
}, 30_000);

/** An engine on a service on which every line succeeds, with the files that the lines name. */
function lineEngine(options: ServiceOptions = {}): Engine {
  const engine = open(options, lineService(options));
  Object.assign(engine.files, LINE_FILES);
  return engine;
}

async function declarationOf(name: string): Promise<Command> {
  const command = await registry[name]?.();
  if (command === undefined) throw new Error(`${name} is not registered`);
  return command;
}

/** The arguments of a line as the platform hands them over: texts by their names, and the default of each that has one. */
async function handedOver(line: string): Promise<Record<string, unknown>> {
  const { name, pairs, positionals } = parseLine(line);
  const declared = Object.entries((await declarationOf(name)).args);
  const defaults = declared.flatMap(([arg, { default: value }]) => (value === undefined ? [] : [[arg, value]]));
  const [place] = declared.flatMap(([arg, { positional }]) => (positional === true ? [arg] : []));
  const placed = positionals.map((value) => [place, value]);
  return Object.fromEntries([...defaults, ...placed, ...pairs.map((pair) => [pair.name, pair.value])]);
}

/** A host as the platform is one: it knows files by the ids of their entries, and does not tell how large they are. */
function asThere({ runtime }: WarRoom): Partial<Runtime> {
  const { transport, files } = runtime;
  const entry = `saved/${Object.keys(LINE_FILES).length}`;
  const send: Transport['send'] = async (request) => {
    const { file, ...response } = await transport.send(request);
    return file === undefined ? response : { ...response, file: { ...file, entry, size: undefined } };
  };
  const find: Runtime['files']['find'] = async (name) => ({ ...(await files.find(name)), size: undefined });
  return { transport: { send }, files: { ...files, find } };
}

type Entry = Record<string, unknown>;

/** What a script returns for a result: less the path of its files, which the platform itself writes from their entries. */
function entriesOf({ writes, files, warnings, failure, ...result }: Result): Entry[] {
  const own = writes.filter(({ path }) => path !== 'InfoFile');
  const entries = [
    entryOf({ ...result, files, warnings, writes: own }),
    ...files.map(({ name, entry }) => ({ Type: 9, ContentsFormat: 'text', Contents: '', File: name, FileID: entry })),
    ...warnings.map(warningEntry),
    ...(failure === undefined ? [] : [errorEntry(failure)]),
  ];
  return JSON.parse(JSON.stringify(entries));
}

/** The entries that a run of the script left. */
function ran(engine: Engine, command: string, args: Readonly<Record<string, unknown>>, overrides = {}): Entry[] {
  const answer: unknown = JSON.parse(JSON.stringify(engine.run(command, args, overrides)));
  return Array.isArray(answer) ? answer : [answer];
}

const sent = ({ asked }: Engine) => asked.filter((url) => !url.includes('/oauth2/'));

/** The arguments as a playbook may hand them over: lists, objects, numbers and truths in place of their texts. */
async function asValues(name: string, args: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const declared = (await declarationOf(name)).args;
  return Object.fromEntries(Object.entries(args).map(([arg, text]) => [arg, asValue(String(text), declared[arg]?.kind)]));
}

function asValue(text: string, kind: Argument['kind'] | undefined): unknown {
  if (kind === 'list') return text.split(',');
  // The word clears a field; the value is no value.
  return kind === 'text' || kind === 'file' || text === 'null' ? text : JSON.parse(text);
}

describe('every command, built for the platform', () => {
  test('has a line here', () => {
    expect(LINE_ROWS.map(({ name }) => name).sort()).toEqual(Object.keys(registry).sort());
  });

  test.each(LINE_ROWS)(
    '$name leaves the entries that a terminal would, of texts and of values',
    async ({ name, line }) => {
      const room = lineRoom();
      const expected = entriesOf(await room.run(line, asThere(room)));
      const args = await handedOver(line);
      expect(ran(lineEngine(), name, args)).toEqual(expected);
      const values = await asValues(name, args);
      if (Object.keys(args).some((arg) => args[arg] !== values[arg]))
        expect(ran(lineEngine(), name, values)).toEqual(expected);
    },
  );

  test.each(LINE_ROWS)('$name says what the service refuses, and no more', async ({ name, line }) => {
    const refusing = { faults: everywhere('400') };
    const engine = lineEngine(refusing);
    const entries = ran(engine, name, await handedOver(line));
    const room = lineRoom(refusing);
    const { failure } = await room.run(line).then(
      (result) => result,
      (error) => ({ failure: error }),
    );
    expect(entries.at(-1)).toEqual(errorEntry(failure));
    expect(JSON.stringify(entries)).not.toMatch(/\bat [^"]*:\d+:\d+|"stack"/);
    expect(sent(engine)).toHaveLength(room.requests.filter(({ url }) => !url.includes('/oauth2/')).length);
  });

  test('is checked by functions of ES5', async () => {
    for (const name of Object.keys(registry)) {
      const { args } = await declarationOf(name);
      const seen: string[] = [];
      compileChecks(args, (code) => {
        seen.push(code);
        return code;
      });
      expect(seen.length).toBeGreaterThan(0);
      for (const code of seen) {
        expect(() => parse(code, { ecmaVersion: 5, allowReturnOutsideFunction: true })).not.toThrow();
      }
    }
  });
});
