import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import { registry } from '../../../commands/index.ts';
import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { AisecError, ValidationError } from '../../../lib/core/errors.ts';
import type { HttpRequest, Transport } from '../../../lib/core/ports.ts';
import type { Argument } from '../../../lib/runtime/arguments/builders.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { entryOf } from '../../../lib/runtime/output/entry.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import { due } from '../../contract/commands.ts';
import { anyCharacter } from '../../support/characters.ts';
import { failing } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_ROWS, LINES, lineRoom as warRoom } from '../../support/lines.ts';
import { shareOf } from '../../support/runs.ts';
import { answering } from '../../support/scripted.ts';
import type { WarRoom } from '../../support/simulated.ts';
import { scenario } from './claims.ts';

const { topics } = SEED_IDS;
const mail = 'ana@example.com';

async function declarationOf(name: string): Promise<Command> {
  const command = await registry[name]?.();
  if (command === undefined) throw new Error(`${name} is not registered`);
  return command;
}

const isToken = ({ url }: HttpRequest) => url.endsWith('/oauth2/access_token');
/** Addresses that are read with POST. */
const READ_BY_POST = /\/(metering\/quota|target\/validate-auth)$/;
const isRead = ({ method, url }: HttpRequest) => method === 'GET' || READ_BY_POST.test(url);
const sentBy = (room: WarRoom) => room.requests.filter((request) => !isToken(request));

describe('the commands', () => {
  scenario(
    'registry-complete',
    'are equal in the registry, the manifest, the command reference and these tests',
    async () => {
      const root = new URL('../../../', import.meta.url);
      const names = Object.keys(registry);
      const manifest: { script: { commands: { name: string }[] } } = parseYaml(
        readFileSync(new URL('integration.yml', root), 'utf8'),
      );
      const pages = readdirSync(new URL('docs/commands/', root));
      const textOf = (page: string) => readFileSync(new URL(`docs/commands/${page}`, root), 'utf8');
      const headings = pages.flatMap((page) =>
        [...textOf(page).matchAll(/^#+ `?!?(aisec-[\w-]+)`?$/gm)].map((found) => found[1]),
      );
      const index = [...textOf('README.md').matchAll(/^\| \[`(aisec-[\w-]+)`\]/gm)].map((found) => found[1]);
      expect(manifest.script.commands.map(({ name }) => name)).toEqual(names);
      expect(headings.sort()).toEqual([...names].sort());
      expect(index.sort()).toEqual([...names].sort());
      expect(textOf('README.md')).toContain(`${names.length} commands`);
      expect(Object.keys(LINES).sort()).toEqual([...names].sort());
      expect(due.map(({ command }) => command).sort()).toEqual([...names].sort());
      for (const name of names) expect((await declarationOf(name)).name).toBe(name);
    },
  );

  scenario.each(LINE_ROWS)(
    'simulated-mark',
    '$name marks simulated results, but not their context, and a dry run stops before its first change or file',
    async ({ name, line }) => {
      const real = warRoom();
      const marked = await real.run(line);
      const room = warRoom();
      const bare: Transport = {
        send: async (request) => {
          const { headers, ...response } = await room.runtime.transport.send(request);
          const { 'x-aisec-simulated': mark, ...others } = headers;
          if (!isToken(request)) expect({ url: request.url, mark }).toStrictEqual({ url: request.url, mark: '1' });
          return { ...response, headers: others };
        },
      };
      const unmarked = await room.run(line, { transport: bare });
      expect([marked.simulated, unmarked.simulated]).toEqual([true, false]);
      expect(markdown(marked.readable)).toContain('SIMULATED');
      expect(entryOf(marked).HumanReadable).toContain('SIMULATED');
      expect(markdown(unmarked.readable)).not.toContain('SIMULATED');
      expect(marked.writes).toEqual(unmarked.writes);
      const command = await declarationOf(name);
      const { silent, record } = command.output;
      expect(marked.writes[0]?.path).toBe(silent === true ? undefined : record.path);

      const dry = warRoom();
      const planned = await dry.run(line, { dryRun: true });
      expectNone(
        sentBy(dry).filter((request) => !isRead(request)),
        'requests that change something',
      );
      expect([planned.files, Object.keys(dry.downloads)]).toEqual([[], []]);
      const isDownload = command.effect === 'read' && marked.files.length > 0;
      expect(planned.planned).toBe(command.effect !== 'read' || isDownload);
      if (!planned.planned) return;
      expect(planned).toMatchObject({
        writes: [],
        raw: { dry_run: true, method: expect.stringMatching(isDownload ? /^GET$/ : /^(POST|PUT|PATCH|DELETE)$/) },
      });
      if (command.run === undefined) expectNone(sentBy(dry), 'requests');
      // A real run sends what the dry run shows.
      const change = sentBy(real).find((request) => isDownload || !isRead(request));
      expect(planned.raw).toMatchObject({ url: change?.url, method: change?.method });
    },
  );
});

// Output that all commands show in both hosts: tests/system/secrets.
describe('secrets', () => {
  scenario.each([
    { line: 'auth_code=@env:CODE', source: 'env: CODE' },
    { line: 'auth_code=@file:/run/code', source: 'file: /run/code' },
  ])('no-secret-anywhere', 'a secret from $source is sent, and hidden in a dry run', async ({ line }) => {
    const rest = LINES['aisec-runtime-api-keys-create']?.replace(/auth_code=\S+/, line);
    const room = warRoom();
    const secretSource = () => 'canary-auth-code';
    const plan = await room.run(`!aisec-runtime-api-keys-create ${rest}`, { secretSource, dryRun: true });
    expect(JSON.stringify(plan)).not.toContain('canary-auth-code');
    await room.fail(`!aisec-runtime-api-keys-create ${rest}`, { secretSource });
    expect(sentBy(room)[0]?.body).toContain('canary-auth-code');
  });
});

/** A value that an argument accepts, different for each argument. */
function sampleOf(name: string, { kind, schema, choices }: Argument): string {
  if (kind === 'json') return '`{}`';
  if (kind === 'flag') return 'true';
  if (choices !== undefined) return choices[0] ?? '';
  if (kind === 'number') return '5';
  if (kind === 'list') return 'one,two';
  const title = String(schema['title'] ?? '');
  if (title.includes('UUID')) return '00000000-0000-4000-8000-000000000001';
  if (title.includes('email')) return mail;
  return title.includes('digits') ? '12' : `sample-${name}`;
}

describe('an argument in a path', () => {
  const HOSTILE = [
    '..',
    '.',
    '%2e%2e',
    '%2E.',
    '%252e%252e',
    ' .. ',
    'a/b',
    '../x',
    'a?x',
    'a#x',
    'a\\b',
    'a;b',
    '%2f',
    '',
    ' ',
  ];
  /** Values that would escape their path segment, however often they are decoded. */
  const DOTS = [
    ...['..', '.', '%2e%2e', '%2E.', '%252e%252e', ' .. ', '', ' '],
    ...['../x', 'a/../b', 'a/..', './x', 'a/./b', 'a/ .. /b', '..\\x', 'a\\..\\b'],
    ...['..%2Fx', '%2e%2e/x', '%252e%252e/x', '%252e%252e%255cx', 'a%2f..%2fb'],
    ...['..%2Fx%zz', '%2e%2e%2f%c3%28', '%2525252525252e'],
  ];

  /** A service whose lists hold one record that has every sample, so that commands which read first can continue. */
  const service = (id: string) => {
    const record = {
      ...{ topic_id: id, profile_id: id, customer_appId: id, revision: 1, active: true },
      ...{ topic_name: 'sample-topic_name', profile_name: 'sample-profile_name', app_name: 'sample-app_name' },
      ...{ policy: { 'ai-security-profiles': [], 'dlp-data-profiles': [] }, description: 'd', examples: ['e'] },
    };
    const lists = ['custom_topics', 'ai_profiles', 'customer_apps'];
    return answering(() => ({ answer: Object.fromEntries(lists.map((name) => [name, [record]])) }));
  };

  /** Runs a command with its required arguments and the argument under test. */
  async function run(command: Command, name: string, value: string) {
    const pairs = Object.entries(command.args)
      .filter(([other, argument]) => argument.required === true && other !== name)
      .map(([other, argument]) => `${other}=${sampleOf(other, argument)}`);
    const room = service('00000000-0000-4000-8000-000000000001');
    const quoted = value.replace(/\\+(?!\\)|"/g, (found) => (found === '"' ? '\\"' : found + found));
    const line = `!${command.name} ${pairs.join(' ')} ${name}="${quoted}"`;
    try {
      await room.run(line);
      return { requests: room.requests, error: undefined };
    } catch (thrown) {
      if (!(thrown instanceof AisecError)) throw thrown;
      return { requests: room.requests, error: thrown };
    }
  }

  /** Returns the encoded path segments, without the query. */
  const segmentsOf = ({ url }: HttpRequest) => (url.split('?')[0] ?? '').split('/');

  let places: ReturnType<typeof findPlaces> | undefined;
  /** Every argument that is part of a path; computed once. */
  function argumentsInPaths() {
    places ??= findPlaces();
    return places;
  }

  async function findPlaces() {
    const places: { command: Command; name: string; sample: string; strict: boolean }[] = [];
    for (const load of Object.values(registry)) {
      const command = await load();
      for (const [name, argument] of Object.entries(command.args)) {
        const sample = sampleOf(name, argument);
        const { requests } = await run(command, name, sample);
        const inPath = requests.some((request) => segmentsOf(request).includes(encodeURIComponent(sample)));
        if (inPath) places.push({ command, name, sample, strict: argument.schema['pattern'] !== undefined });
      }
    }
    return places;
  }

  scenario(['path-dots', 'path-inside'], 'is refused before a request if it has dots or an invalid form', async () => {
    const places = await argumentsInPaths();
    expect(places.map(({ command, name }) => `${command.name} ${name}`)).toEqual(
      expect.arrayContaining([
        'aisec-runtime-api-keys-regenerate api_key_id',
        'aisec-runtime-api-keys-delete api_key_name',
        'aisec-runtime-profiles-update profile_id',
        'aisec-runtime-profiles-delete profile_id',
        'aisec-runtime-topics-update topic_id',
        'aisec-runtime-topics-delete topic_id',
      ]),
    );
    for (const { command, name, strict } of places) {
      for (const value of strict ? HOSTILE : DOTS) {
        // An empty value counts as omitted, and an optional argument may be omitted.
        if (value.trim() === '' && command.args[name]?.required !== true) continue;
        const { requests, error } = await run(command, name, value);
        expect({ command: command.name, value, sent: requests.length, type: error?.name }).toEqual({
          command: command.name,
          value,
          sent: 0,
          type: 'ValidationError',
        });
      }
    }
  });

  scenario('path-inside', 'stays one segment with slashes if it is a free name', async () => {
    const free = (await argumentsInPaths()).filter(({ strict }) => !strict);
    expect(free.length).toBeGreaterThan(10);
    for (const { command, name } of free) {
      for (const value of ['a/b', 'a\\b', 'v1.2/..x', '100%/y', '.../z']) {
        const { requests } = await run(command, name, value);
        const sent = requests.some((request) => segmentsOf(request).includes(encodeURIComponent(value)));
        expect({ command: command.name, name, value, sent }).toEqual({
          command: command.name,
          name,
          value,
          sent: true,
        });
      }
    }
  });

  scenario('path-dots', 'is sent as one segment or refused, in every command and for any text', async () => {
    const places = await argumentsInPaths();
    const values = fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: anyCharacter }),
      fc.array(fc.constantFrom('.', '%2e', '/', 'a')).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), values, async ({ command, name, sample }, value) => {
        fc.pre(!value.includes('$') && value.trim() !== '');
        const benign = await run(command, name, sample);
        const { requests, error } = await run(command, name, value);
        if (error instanceof ValidationError) return expectNone(requests, 'requests');
        const wanted = benign.requests.map((request) =>
          segmentsOf(request).map((part) => (part === sample ? value : decodeURIComponent(part))),
        );
        expect(requests.map((request) => segmentsOf(request).map(decodeURIComponent))).toEqual(wanted);
        for (const { url } of requests) expect(new URL(url).href).toBe(url);
      }),
      { numRuns: shareOf(150) },
    );
  });
});

describe('hostile lines', () => {
  scenario.each(
    [
      '!aisec-runtime-scan --constructor',
      '!aisec-runtime-scan --a.__proto__.b=1',
      '!aisec-runtime-scan --tsg_id 0012',
      '!aisec-runtime-scan profile_name=prod prompt=x __proto__=1',
      '!aisec-runtime-scan profile_name=prod prompt=x constructor=1',
      '!aisec-runtime-topics-list limit=1e3',
      '!aisec-runtime-topics-list limit=0x10',
      '!aisec-runtime-topics-list limit=-5',
      '!__proto__',
      '!constructor',
      '!toString',
    ].map((line) => ({ line })),
  )('argv-hostile', '$line sends nothing', async ({ line }) => {
    const room = warRoom();
    const run = async () => room.run(line);
    expect((await failing(run())).exitCode).toBe(2);
    expectNone(room.requests, 'requests');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  scenario('argv-hostile', 'a prompt that looks like an option or a number is scanned as typed', async () => {
    for (const prompt of ['-5', '--prompt=x', '1e3', '0012', 'true', 'null', '__proto__']) {
      const room = warRoom();
      await room.run(`!aisec-runtime-scan profile_name=prod prompt=${prompt}`);
      expect(JSON.parse(sentBy(room)[0]?.body ?? '')).toMatchObject({ contents: [{ prompt }] });
    }
  });

  scenario.each(
    [
      '"',
      "'",
      '`',
      '\\',
      '" force=true',
      '` force=true `',
      '\n!aisec-runtime-topics-list',
      '${AiSec.Other}',
      '\\${x}',
      '$&',
      '$1',
    ].map((value) => ({ value })),
  )('reference-injection', 'a context value $value stays one value', async ({ value }) => {
    for (const quote of ['"', "'", '`']) {
      const room = warRoom();
      room.context = { AiSec: { Evil: { text: value }, Other: 'resolved twice' } };
      const line = `!aisec-runtime-scan profile_name=prod prompt=${quote}a \${AiSec.Evil.text} b${quote} tr_id=\${AiSec.Evil.text}`;
      const result = await room.run(line);
      expect(result.command).toBe('aisec-runtime-scan');
      expect(JSON.parse(sentBy(room)[0]?.body ?? '')).toEqual({
        tr_id: value,
        ai_profile: { profile_name: 'prod' },
        contents: [{ prompt: `a ${value} b` }],
      });
    }
  });

  scenario('reference-injection', 'a reference without a valid path is sent as typed', async () => {
    const room = warRoom();
    await room.run('!aisec-runtime-scan profile_name=prod prompt=${jndi:ldap://x} response="\\${AiSec.Topic} ${7*7}"');
    expect(JSON.parse(sentBy(room)[0]?.body ?? '').contents).toEqual([
      { prompt: '${jndi:ldap://x}', response: '${AiSec.Topic} ${7*7}' },
    ]);
  });

  scenario('proto-json', 'a hostile policy sends nothing, and a hostile context path pollutes nothing', async () => {
    const room = warRoom();
    const policy = '`{"ai-security-profiles": [{"__proto__": {"polluted": 1}}]}`';
    const error = await room.fail(`!aisec-runtime-profiles-create profile_name=x policy=${policy}`);
    expect(error).toMatchObject({
      argument: 'policy',
      message: expect.stringMatching(/line 1, column 28: the key __proto__/),
    });
    expectNone(room.requests, 'requests');
    for (const at of ['__proto__.polluted', 'constructor.prototype.polluted', '__proto__']) {
      await room.run(`!aisec-runtime-topics-list limit=1 extend-context="${at}=."`).catch(() => undefined);
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('a service in trouble', () => {
  const topicPath = '/aisec/v1/mgmt/topic';

  test('retry-count runs a whole read again after retry-interval', async () => {
    const room = warRoom({ faults: [`503x8@${topicPath}s`] });
    await expect(room.values('!aisec-runtime-topics-list retry-count=2 retry-interval=7')).resolves.toHaveLength(3);
    expect(sentBy(room)).toHaveLength(9);
    expect(room.clock.waits.filter((wait) => wait === 7000)).toHaveLength(2);
  });

  test('raw-response prints the response, ignore-outputs omits the context, extend-context adds keys', async () => {
    const room = warRoom();
    const line = '!aisec-runtime-topics-get topic_name=insurance-claims';
    const result = await room.run(
      `${line} raw-response=true ignore-outputs=true extend-context="Mine.Id=topic_id::All=."`,
    );
    expect(result.showRaw).toBe(true);
    expect(entryOf(result)).not.toHaveProperty('HumanReadable');
    expect(room.context).toEqual({
      Mine: { Id: topics.insuranceClaims },
      All: expect.objectContaining({ revision: 1 }),
    });
  });

  test('a line with many problems reports all of them, and nothing is sent', async () => {
    const room = warRoom();
    const error = await room.fail('!aisec-runtime-topics-update topic_id=7 topic_nmae=x examples=one active=maybe');
    expect(error).toBeInstanceOf(ValidationError);
    for (const name of ['topic_id', 'topic_nmae', 'topic_name', 'examples', 'active'])
      expect(error.message).toContain(name);
    expect(error).toMatchObject({ command: 'aisec-runtime-topics-update', exitCode: 2 });
    expectNone(room.requests, 'requests');
  });
});
