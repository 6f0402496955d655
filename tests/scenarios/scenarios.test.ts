import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import { registry } from '../../commands/index.ts';
import { SEED_IDS } from '../../fixtures/service/tenant.ts';
import { saidBy } from '../../lib/api/failures.ts';
import { path, pathText } from '../../lib/api/path.ts';
import { askedDelay } from '../../lib/api/retry.ts';
import { parseLine, parseWords } from '../../lib/arguments/argv.ts';
import { parseJsonText } from '../../lib/arguments/json-text.ts';
import { readArguments } from '../../lib/arguments/read.ts';
import { parsePath, resolveReferences } from '../../lib/arguments/references.ts';
import { didYouMean } from '../../lib/arguments/suggest.ts';
import { type Argument, email, flag, list, number, text, uuid } from '../../lib/arguments/words.ts';
import type { Command } from '../../lib/command.ts';
import { AisecError, AuthError, NetworkError, ServiceError, ValidationError } from '../../lib/errors.ts';
import { measureFor } from '../../lib/hosts/terminal/measure.ts';
import { FORMATS } from '../../lib/hosts/terminal/options.ts';
import { renderResult } from '../../lib/hosts/terminal/results.ts';
import { PLAIN } from '../../lib/hosts/terminal/style.ts';
import { isoDate } from '../../lib/output/date.ts';
import { entryOf, errorEntry, errorText } from '../../lib/output/entry.ts';
import { markdown } from '../../lib/output/markdown.ts';
import { mergeContext } from '../../lib/output/merge.ts';
import { heading } from '../../lib/output/readable.ts';
import type { HttpRequest, Transport } from '../../lib/ports.ts';
import { parseAddress } from '../../lib/settings/address.ts';
import { due } from '../contract/commands.ts';
import { failing } from '../support/exchange.ts';
import { expectNone } from '../support/expect-none.ts';
import { expectProportion } from '../support/growth.ts';
import { LINE_ROWS, LINES, lineRoom as warRoom } from '../support/lines.ts';
import { answering } from '../support/scripted.ts';
import type { WarRoom } from '../support/simulated.ts';
import { scenario } from './claims.ts';

const { topics } = SEED_IDS;
const mail = 'ana@example.com';

async function declarationOf(name: string): Promise<Command> {
  const command = await registry[name]?.();
  if (command === undefined) throw new Error(`${name} is not registered`);
  return command;
}

const isToken = ({ url }: HttpRequest) => url.endsWith('/oauth2/access_token');
/** Addresses that are read by POST. */
const READ_BY_POST = /\/(metering\/quota|target\/validate-auth)$/;
const isRead = ({ method, url }: HttpRequest) => method === 'GET' || READ_BY_POST.test(url);
const sentBy = (room: WarRoom) => room.requests.filter((request) => !isToken(request));

describe('the commands', () => {
  scenario(
    'registry-complete',
    'are the same in the registry, the manifest and the command reference, and these tests run what is due',
    () => {
      const root = new URL('../../', import.meta.url);
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
    },
  );

  scenario.each(LINE_ROWS)('registry-complete', '$name is declared under its own name, once', async ({ name }) => {
    expect((await declarationOf(name)).name).toBe(name);
  });

  scenario.each(LINE_ROWS)(
    'simulated-mark',
    '$name is marked, and its context is not touched by the mark',
    async ({ name, line }) => {
      const marked = await warRoom().run(line);
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
      const { silent, record } = (await declarationOf(name)).output;
      expect(marked.writes[0]?.path).toBe(silent === true ? undefined : record.path);
    },
  );

  test.each(LINE_ROWS)(
    '$name: a dry run makes what it reads, and stops before its first change or the file that it would leave',
    async ({ name, line }) => {
      const room = warRoom();
      const result = await room.run(line, { dryRun: true });
      const command = await declarationOf(name);
      expectNone(
        sentBy(room).filter((request) => !isRead(request)),
        'requests that change something',
      );
      expect([result.files, Object.keys(room.downloads)]).toEqual([[], []]);
      const real = warRoom();
      const { files } = await real.run(line);
      const isDownload = command.effect === 'read' && files.length > 0;
      expect(result.planned).toBe(command.effect !== 'read' || isDownload);
      if (!result.planned) return;
      expect(result).toMatchObject({
        writes: [],
        raw: { dry_run: true, method: expect.stringMatching(isDownload ? /^GET$/ : /^(POST|PUT|PATCH|DELETE)$/) },
      });
      if (command.run === undefined) expectNone(sentBy(room), 'requests');
      // What it would have sent is what is sent without it.
      const change = sentBy(real).find((request) => isDownload || !isRead(request));
      expect(result.raw).toMatchObject({ url: change?.url, method: change?.method });
    },
  );
});

// What all commands show in both hosts: tests/secrets.
describe('secrets', () => {
  const toldBy = (error: AisecError) =>
    [inspect(error, { depth: 9, showHidden: true }), errorText(error), JSON.stringify(errorEntry(error))].join('\n');

  scenario('no-secret-anywhere', 'a secret argument that the service refuses is not repeated', async () => {
    const line = LINES['aisec-runtime-api-keys-create']?.replace(/auth_code=\S+/, 'auth_code=canary-auth-code') ?? '';
    const error = await warRoom().fail(`!aisec-runtime-api-keys-create ${line}`);
    expect(error.status).toBe(400);
    expect(toldBy(error)).not.toContain('canary-auth-code');
  });

  scenario.each([
    { line: 'auth_code=@env:CODE', source: 'env: CODE' },
    { line: 'auth_code=@file:/run/code', source: 'file: /run/code' },
  ])('no-secret-anywhere', 'one taken from $source is sent, and hidden in a dry run', async ({ line }) => {
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
  const DOTS = ['..', '.', '%2e%2e', '%2E.', '%252e%252e', ' .. ', '', ' '];

  /** A service whose lists hold one record that has every sample, so that commands which read first get on. */
  const service = (id: string) => {
    const record = {
      ...{ topic_id: id, profile_id: id, customer_appId: id, revision: 1, active: true },
      ...{ topic_name: 'sample-topic_name', profile_name: 'sample-profile_name', app_name: 'sample-app_name' },
    };
    const lists = ['custom_topics', 'ai_profiles', 'customer_apps'];
    return answering(() => ({ answer: Object.fromEntries(lists.map((name) => [name, [record]])) }));
  };

  /** Runs a command with the arguments that it needs and the one under test. */
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

  /** What stands between the slashes, still encoded; all of the address but its query. */
  const segmentsOf = ({ url }: HttpRequest) => (url.split('?')[0] ?? '').split('/');

  async function argumentsInPaths() {
    const found: { command: Command; name: string; sample: string; strict: boolean }[] = [];
    for (const load of Object.values(registry)) {
      const command = await load();
      for (const [name, argument] of Object.entries(command.args)) {
        const sample = sampleOf(name, argument);
        const { requests } = await run(command, name, sample);
        const inPath = requests.some((request) => segmentsOf(request).includes(encodeURIComponent(sample)));
        if (inPath) found.push({ command, name, sample, strict: argument.schema['pattern'] !== undefined });
      }
    }
    return found;
  }

  scenario('path-dots', 'is checked before anything is sent where it has a form, and never a dot', async () => {
    const found = await argumentsInPaths();
    expect(found.map(({ command, name }) => `${command.name} ${name}`)).toEqual(
      expect.arrayContaining([
        'aisec-runtime-api-keys-regenerate api_key_id',
        'aisec-runtime-api-keys-delete api_key_name',
        'aisec-runtime-profiles-update profile_id',
        'aisec-runtime-profiles-delete profile_id',
        'aisec-runtime-topics-update topic_id',
        'aisec-runtime-topics-delete topic_id',
      ]),
    );
    for (const { command, name, strict } of found) {
      for (const value of strict ? HOSTILE : DOTS) {
        // What is empty was not given, and an optional argument need not be.
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

  scenario('path-inside', 'may hold slashes where it is a free name, and stays one segment', async () => {
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

  scenario(
    'path-dots',
    'is one segment and itself, in every command and for any text, or nothing is sent',
    async () => {
      const places = await argumentsInPaths();
      const values = fc.oneof(
        fc.constantFrom(...HOSTILE),
        fc.string({ unit: 'binary' }),
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
        { numRuns: 150 },
      );
    },
  );
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

  scenario('argv-hostile', 'a prompt that looks like an option or a number is scanned as it was typed', async () => {
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
  )('reference-injection', 'a context value of $value stays one value', async ({ value }) => {
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

  scenario('reference-injection', 'what is no path is sent as typed', async () => {
    const room = warRoom();
    await room.run('!aisec-runtime-scan profile_name=prod prompt=${jndi:ldap://x} response="\\${AiSec.Topic} ${7*7}"');
    expect(JSON.parse(sentBy(room)[0]?.body ?? '').contents).toEqual([
      { prompt: '${jndi:ldap://x}', response: '${AiSec.Topic} ${7*7}' },
    ]);
  });

  test('a chain of lines hands values on by references, with their types', async () => {
    const room = warRoom();
    await room.run('!aisec-runtime-topics-list');
    await room.run(
      '!aisec-runtime-topics-update topic_id=${AiSec.Topic.[2].topic_id} topic_name=renamed examples=${AiSec.Topic.[0].examples}',
    );
    const examples = room.context['AiSec'];
    expect(examples).toMatchObject({ Topic: expect.any(Array), TopicUpdate: { topic_name: 'renamed', revision: 2 } });
    const filtered = '`${AiSec.Topic(val.topic_name == "insurance-claims").topic_id}`';
    const { writes } = await room.run(`!aisec-runtime-topics-get topic_id=${filtered}`);
    expect(writes[0]?.value).toMatchObject({ topic_name: 'insurance-claims' });
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

  scenario('md-escape', 'a hostile prompt leaves the table in one piece', async () => {
    const prompt = '| a | b |\n![](http://evil.example.com/x) <script>alert(1)</script> \u202e `x`';
    const result = await warRoom().run(`!aisec-runtime-scan profile_name=monitor-only prompt='${prompt}'`);
    const rendered = markdown(result.readable);
    const rows = rendered.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.map((row) => row.replace(/\\[\s\S]/g, '').split('|').length)).toEqual(rows.map(() => 4));
    expect(rendered).not.toMatch(/!\[|<script|https?:\/\/|\u202e/);
    expect(result.writes[0]?.value).toMatchObject({ prompt });
  });
});

describe('a service in trouble', () => {
  const topicPath = '/aisec/v1/mgmt/topic';
  const created = `!aisec-runtime-topics-create ${LINES['aisec-runtime-topics-create']}`;

  scenario('retry-get-503', 'a list gets over two failures', async () => {
    const room = warRoom({ faults: [`503x2@${topicPath}s`] });
    await expect(room.values('!aisec-runtime-topics-list')).resolves.toHaveLength(3);
    expect(sentBy(room)).toHaveLength(3);
  });

  scenario.each([
    { fault: '503', type: ServiceError },
    { fault: 'drop', type: NetworkError },
    { fault: 'truncate', type: NetworkError },
  ])(
    'retry-post-never-blind',
    'a create that meets $fault is sent once, whatever retry-count says',
    async ({ fault, type }) => {
      const room = warRoom({ faults: [`${fault}@${topicPath}`] });
      const error = await room.fail(`${created} retry-count=5 retry-interval=1`);
      expect(error).toBeInstanceOf(type);
      expect(error.hint).toMatch(/outcome is unknown: list/);
      expect(sentBy(room)).toHaveLength(1);
      expectNone(room.clock.waits, 'waits');
    },
  );

  test('retry-count runs a read again as a whole, after retry-interval', async () => {
    const room = warRoom({ faults: [`503x8@${topicPath}s`] });
    await expect(room.values('!aisec-runtime-topics-list retry-count=2 retry-interval=7')).resolves.toHaveLength(3);
    expect(sentBy(room)).toHaveLength(9);
    expect(room.clock.waits.filter((wait) => wait === 7000)).toHaveLength(2);
  });

  test('retry-count does not repeat what is settled', async () => {
    const room = warRoom();
    expect(await room.fail('!aisec-runtime-topics-get topic_name=nope retry-count=5')).toMatchObject({ exitCode: 5 });
    expect(sentBy(room)).toHaveLength(1);
  });

  scenario('retry-read-by-post', 'a scan is repeated: it changes nothing', async () => {
    const room = warRoom({ faults: ['503x1@/v1/scan', 'dropx1@/v1/scan'] });
    await expect(room.value('!aisec-runtime-scan profile_name=prod prompt=hi')).resolves.toMatchObject({
      action: 'allow',
    });
    expect(sentBy(room)).toHaveLength(3);
  });

  scenario('timeout-budget', 'execution-timeout ends a command that is slow', async () => {
    const room = warRoom({ faults: ['latency:20000@/aisec'] });
    const start = room.clock.now();
    const error = await room.fail('!aisec-runtime-topics-list execution-timeout=5');
    expect(error).toMatchObject({ name: 'TimeoutError', exitCode: 9, message: expect.stringContaining('waiting') });
    expect(room.clock.now() - start).toBe(5000);
    expect(sentBy(room)).toHaveLength(1);
  });

  scenario('oauth-early-refresh', 'a token is renewed before it ends, between two lines', async () => {
    const room = warRoom({ tokenSeconds: 600 });
    for (const pause of [0, 530_000, 30_000]) {
      room.clock.advance(pause);
      await room.run('!aisec-runtime-topics-list');
    }
    expect(room.requests.filter(isToken)).toHaveLength(2);
    const failed = room.responses.filter(({ status }) => status !== 200);
    expectNone(
      failed.map(({ status, body }) => `${status} ${body}`),
      'answers other than 200',
    );
  });

  scenario(
    'oauth-401-once',
    'a kept token that the service no longer takes is renewed, and the line succeeds',
    async () => {
      const room = warRoom({ tokenSeconds: 600 });
      const { tokens } = room.runtime;
      await room.run('!aisec-runtime-topics-list');
      await tokens.write({ ...(await tokens.read()), valid_until: String(room.clock.now() + 86_400_000) });
      room.clock.advance(700_000);
      await room.run(created);
      expect(sentBy(room).map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
      expect(room.responses.map(({ status }) => status)).toEqual([200, 200, 401, 200, 200]);
    },
  );

  scenario('oauth-401-once', 'a new token that is refused ends the line', async () => {
    const room = warRoom({ faults: ['expired-tokenx9'] });
    expect(await room.fail('!aisec-runtime-topics-list')).toBeInstanceOf(AuthError);
    expect(room.requests.map(isToken)).toEqual([true, false]);
  });

  test('raw-response shows the answer, ignore-outputs keeps only further keys, extend-context adds them', async () => {
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

  test('arguments without effect here are accepted, and said to have none', async () => {
    const line = '!aisec-runtime-topics-list using=instance using-brand=x auto-extract=none debug-mode=true';
    expect((await warRoom().run(line)).warnings).toEqual([
      'using, using-brand, auto-extract, debug-mode: no effect here.',
    ]);
  });

  test('a line with many mistakes is answered with all of them, and nothing is sent', async () => {
    const room = warRoom();
    const error = await room.fail('!aisec-runtime-topics-update topic_id=7 topic_nmae=x examples=one active=maybe');
    expect(error).toBeInstanceOf(ValidationError);
    for (const name of ['topic_id', 'topic_nmae', 'topic_name', 'examples', 'active'])
      expect(error.message).toContain(name);
    expect(error).toMatchObject({ command: 'aisec-runtime-topics-update', exitCode: 2 });
    expectNone(room.requests, 'requests');
  });

  test('an unknown command is answered with the nearest', async () => {
    const error = await warRoom().fail('!aisec-runtime-topic-list');
    expect(error).toMatchObject({ exitCode: 2, hint: 'Did you mean "!aisec-runtime-topics-list"?' });
  });
});

const quietly = (run: () => unknown) => () => {
  try {
    run();
  } catch (error) {
    if (!(error instanceof AisecError)) throw error;
  }
};

describe('one page of a million records', () => {
  const MILLION = 1_000_000;
  const text = `{"keys":[${'"key",'.repeat(MILLION - 1)}"last"],"pagination":{"total_items":${MILLION}}}`;
  const line = `!aisec-model-security-labels-keys limit=${MILLION}`;

  scenario(
    'large-page',
    'is a result in every format, cut to what the context takes',
    async () => {
      const result = await answering(() => ({ text })).run(line);
      expect(result.readable.notes).toEqual([expect.stringContaining(`of ${MILLION} records`)]);
      const place = { terminal: true, width: 80, style: PLAIN, measure: await measureFor(result.readable) };
      for (const format of FORMATS) expect((await renderResult(result, format, place)).length).toBeGreaterThan(100_000);
      expect(mergeContext(mergeContext({}, result.writes), result.writes)).toMatchObject({ AiSec: expect.anything() });
    },
    120_000,
  );

  scenario('large-page', 'streams', async () => {
    let streamed = 0;
    const stream = () => {
      streamed += 1;
    };
    const many = `{"custom_topics":[${'{"topic_id":"t"},'.repeat(299_999)}{"topic_id":"t"}]}`;
    const room = answering(() => ({ text: many }));
    const { readable } = await room.run('!aisec-runtime-topics-list limit=1000000', { stream });
    expect([streamed, readable.tables[0]?.rows.length]).toEqual([300_000, 0]);
  });
});

describe('time grows in proportion', () => {
  const args = { t: text('T.'), n: number('N.'), f: flag('F.'), l: list('L.'), u: uuid('U.'), e: email('E.') };
  const read = (name: string) => (value: string) =>
    readArguments(
      { name: 'aisec-x', args },
      { name: 'aisec-x', pairs: [{ name, value }], positionals: [] },
      { context: { a: 'v' } },
    );
  const reference = (value: string) => resolveReferences(value, { a: 'v' }, () => undefined);
  const cell = (value: string) =>
    markdown({ title: value, simulated: false, tables: [{ columns: ['a'], rows: [[value]] }], notes: [] });
  const limited = (headers: Record<string, string>) => askedDelay({ status: 429, headers, body: '' }, 0);
  const names = Object.keys(registry);

  const patterns: { of: string; run: (value: string) => unknown; attacks: readonly [string, string, string?][] }[] = [
    {
      of: 'a line',
      run: (value) => parseLine(`!x ${value}`),
      attacks: [
        ['a="', '\\'],
        ['a="', '\\"', '"'],
        ['a=', '"'],
        ['a=`', 'x'],
        ['', ' '],
        ['', '='],
        ['a="', '\\${', '"'],
        ['', 'a '],
        ['', 'a=1 '],
      ],
    },
    {
      of: 'a word',
      run: (value) => parseWords('x', [value]),
      attacks: [
        ['', 'a'],
        ['', '='],
        ['a=', '"'],
      ],
    },
    {
      of: 'a path',
      run: parsePath,
      attacks: [
        ['a', '.a'],
        ['a', '[0]'],
        ['a[', '0'],
        ['a', '('],
        ['a(', 'val.a'],
        ['a(val', '.a', ')'],
        ['a(val.a', ' ', ')'],
        ['a(val.a == "', 'x', ')'],
        ['a(', 'val.a==a&&', 'val.a==a)'],
        ['', ' ', '!'],
        ['a', '(val.a==a)'],
      ],
    },
    {
      of: 'a reference',
      run: reference,
      attacks: [
        ['', '\\'],
        ['', '\\', '$'],
        ['', '${'],
        ['${', 'a'],
        ['${', ' '],
        ['', '${a}'],
        ['x', '\\${a}'],
        ['', '$'],
        ['', '{'],
        ['', '${a'],
        ['', '\\\\ '],
      ],
    },
    {
      of: 'JSON text',
      run: parseJsonText,
      attacks: [
        ['', '['],
        ['', '{"a":'],
        ['"', '\\\\'],
        ['"', '\\u0041', '"'],
        ['', '1'],
        ['', '-'],
        ['1e', '1'],
        ['', ' '],
        ['[', '1,', '1]'],
        ['[', '"a",\n', '1]'],
        ['[', '{},', '!'],
        ['"', '\n'],
      ],
    },
    {
      of: 'a number',
      run: read('n'),
      attacks: [
        ['', '0'],
        ['', ' ', 'x'],
        ['1', ' ', 'x'],
      ],
    },
    {
      of: 'a Boolean',
      run: read('f'),
      attacks: [
        ['', ' ', 'x'],
        ['', 'true'],
      ],
    },
    {
      of: 'a list',
      run: read('l'),
      attacks: [
        ['', ','],
        ['', 'a, '],
        ['[', '"a",', '1]'],
        ['', ' ', ','],
      ],
    },
    {
      of: 'a UUID',
      run: read('u'),
      attacks: [
        ['', 'a'],
        ['', '0-'],
        ['', '00000000-0000-4000-8000-'],
      ],
    },
    {
      of: 'an email address',
      run: read('e'),
      attacks: [
        ['', '@'],
        ['', 'a'],
        ['', 'a@'],
        ['a@', 'b', ' '],
      ],
    },
    {
      of: 'further context',
      run: read('extend-context'),
      attacks: [
        ['', 'a=b::'],
        ['', ':'],
        ['', '='],
        ['', 'a.'],
        ['a=', '('],
      ],
    },
    {
      of: 'retry-count',
      run: read('retry-count'),
      attacks: [
        ['', '1'],
        ['', ' ', 'x'],
      ],
    },
    {
      of: 'did you mean',
      run: (value) => didYouMean(value, names),
      attacks: [
        ['', 'a'],
        ['', 'aisec-runtime-'],
      ],
    },
    {
      of: 'a date',
      run: isoDate,
      attacks: [
        ['', '0'],
        ['2026-01-01T00:00:00.', '0', 'x'],
        ['', ' ', 'x'],
        ['2026-01-01T00:00:00 ', 'UTC '],
        ['2026-01-01T00:00:00', ' UTC'],
      ],
    },
    {
      of: 'a heading',
      run: heading,
      attacks: [
        ['', '_'],
        ['', 'a_'],
        ['', '- '],
      ],
    },
    {
      of: 'markdown',
      run: cell,
      attacks: [
        ...[
          '\u001b',
          '\u001b[',
          '\u001b]',
          '\u009b',
          '&',
          '&a',
          '&#',
          '_',
          ' _',
          '_a',
          '\\',
          '|',
          ':/',
          '://',
          'www.',
          '\u200b',
          '\r',
          '\n',
          '\t',
          '<',
          '*',
          '[',
          '](',
        ].map((part): [string, string] => ['', part]),
        ['\u001b[', '0'],
        ['\u001b[', ' '],
        ['\u001b[0', ' ', 'é'],
        ['\u001b]', 'x'],
        ['\u001b]', '\u001b'],
        ['&', 'a'],
        ['w', 'w'],
      ],
    },
    {
      of: 'a rate limit',
      run: (value) => limited({ 'retry-after': value }),
      attacks: [
        ['', '1', 'x'],
        ['', '1.'],
        ['', ' ', 'x'],
        ['', 'Sat, '],
      ],
    },
    {
      of: 'a refusal',
      run: saidBy,
      attacks: [
        ['{"message":"', 'a', '"}'],
        ['{"message":"', '\\u0001a', '"}'],
        ['{"message":"', ' ', '"}'],
        ['"', 'x'],
      ],
    },
    {
      of: 'a segment',
      run: (value) => pathText(path`/${value}`, () => ''),
      attacks: [
        ['', '%'],
        ['', '%25'],
        ['', '%2e'],
        ['', ' ', 'x'],
        ['', '!'],
        ['', '.'],
      ],
    },
    {
      of: 'an address',
      run: parseAddress,
      attacks: [
        ['https://', 'a'],
        ['https://', 'a.'],
        ['https://', '[:'],
        ['https://[', ':'],
        ['https://a', '/'],
        ['https://a:', '1'],
        ['', 'h'],
        ['https://', '@'],
        ['https://', '-'],
        ['https://a', '.', '!'],
      ],
    },
  ];

  scenario.each(patterns)('redos', 'for every hostile text as $of', async ({ run, attacks }) => {
    for (const [before, part, after = ''] of attacks) {
      await expectProportion((size) => {
        const value = before + part.repeat(size) + after;
        return quietly(() => run(value));
      });
    }
  });

  scenario('redos', 'for a line of many arguments', async () => {
    await expectProportion((size) => {
      const line = `!x ${Array.from({ length: size }, (_, index) => `a${index}=1`).join(' ')}`;
      return quietly(() => parseLine(line));
    });
  });

  const bombs: { what: string; make: (size: number) => string }[] = [
    { what: 'nested lists', make: (size) => '['.repeat(size) },
    { what: 'nested lists, closed', make: (size) => '['.repeat(90) + '[],'.repeat(size) },
    { what: 'many keys', make: (size) => `{${Array.from({ length: size }, (_, index) => `"k${index}":1`).join(',')}}` },
    {
      what: 'keys given twice at the end',
      make: (size) => `{${Array.from({ length: size }, (_, index) => `"k${index}":1`).join(',')},"k0":1}`,
    },
    { what: 'one long text', make: (size) => `"${'x'.repeat(size)}"` },
    { what: 'one long text of lone surrogates', make: (size) => `"${'x'.repeat(size)}\ud800"` },
    { what: 'many lines before a fault', make: (size) => `[${'1,\n'.repeat(size)}]` },
    { what: 'many numbers', make: (size) => `[${'-1.5e10,'.repeat(size)}0]` },
  ];
  scenario.each(bombs)('json-bombs', 'for JSON of $what', async ({ make }) => {
    await expectProportion((size) => {
      const value = make(size);
      return () => void parseJsonText(value);
    });
  });

  test('for records that are merged into the context again', async () => {
    await expectProportion((size) => {
      const write = {
        path: 'AiSec.T',
        key: ['id'],
        value: Array.from({ length: size }, (_, id) => ({ id: String(id) })),
      };
      const context = mergeContext({}, [write]);
      return () => void mergeContext(context, [write]);
    });
  });
});
