import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry as commands } from '../../commands/index.ts';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { resolveNames } from '../../lib/client/names/names.ts';
import { CancelledError, ConfigurationError } from '../../lib/core/errors.ts';
import { management } from '../../lib/runtime/api/call.ts';
import { path } from '../../lib/runtime/api/path.ts';
import type { Lookup } from '../../lib/runtime/arguments/builders.ts';
import { command, many, one, text, uuid, uuids } from '../../lib/runtime/engine/declare.ts';
import { record, string } from '../../lib/runtime/output/record.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../unit/report/support.ts';
import { type Server, start as startService } from './http/support.ts';
import { closeConnectionsAfterEach, connect } from './mcp/support.ts';
import { type Given, rehearse } from './terminal-support.ts';

const TARGETS: Lookup = { command: 'aisec-target-list', noun: 'target', id: ['uuid'], name: ['name'] };
const Target = record('AiSec.Target', 'Target', 'uuid', { uuid: string('Id.'), name: string('Name.') });
const call = () => management.list(path`/v1/targets`, { items: 'targets' });
const common = { effect: 'read', output: many(Target), call } as const;
const list = command('aisec-target-list', 'List.', { ...common, args: {} });
const scan = command('aisec-target-scan', 'Scan.', {
  ...common,
  args: {
    target_uuid: uuid('Target.', { lookup: TARGETS, positional: true }),
    others: uuids('Others.', { lookup: TARGETS }),
    profile_name: text('Name.', { lookup: { ...TARGETS, takes: 'name' } }),
  },
});
const registry = Object.fromEntries([list, scan].map((each) => [each.name, async () => each]));
const CHAT = { id: '2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752', name: 'chat' };
const AGENT = { id: '2c8f6000-a7d0-4396-b4f8-e61d09c3a752', name: 'agent' };
const DAY = 86_400_000;
const TWINS = ['1', '2'].map((digit) => ({
  id: `${digit}7b9e4c2-0d6f-4a58-a1c7-f5e820d3b946`,
  name: 'twin',
  createdAt: `2026-11-0${digit}T00:00:00Z`,
}));
/** The table shows the first eight characters of an id, which may be digits only. */
const DIGITS = { id: '12345678-a7d0-4396-b4f8-e61d09c3a752', name: '2c8f6' };

interface Circumstances {
  readonly context?: Record<string, unknown>;
  readonly needsFull?: boolean;
  readonly isCut?: boolean;
  readonly effect?: 'read' | 'delete';
  /** Fails the list. */
  readonly failure?: Error;
}

async function resolved(
  name: string,
  value: string,
  { context = {}, needsFull = false, isCut = false, effect = 'read', failure }: Circumstances = {},
) {
  const calls: string[] = [];
  const notes: string[] = [];
  const listed = async (lookup: Lookup) => {
    calls.push(lookup.command);
    if (failure !== undefined) throw failure;
    return { values: [CHAT, AGENT, ...TWINS, DIGITS], isCut };
  };
  const pairs = name === '' ? [] : [{ name, value }];
  const invocation = { name: scan.name, pairs, positionals: name === '' ? [value] : [] };
  const outcome = await resolveNames(
    invocation,
    { ...scan, effect },
    {
      ...{ registry, context, list: listed },
      note: (line) => notes.push(line),
      needsFull,
      now: Date.parse('2026-11-01T00:00:00Z') + 3 * DAY,
    },
  );
  return { pair: outcome.pairs[0], positional: outcome.positionals[0], calls: calls.length, notes };
}

describe('a name or prefix typed instead of an id', () => {
  test.each([
    { name: 'target_uuid', value: 'chat', becomes: CHAT.id, calls: 1 },
    { name: 'target', value: 'chat', becomes: CHAT.id, calls: 1 },
    { name: 'target', value: '2C8F5', becomes: CHAT.id, calls: 1 },
    { name: 'others', value: 'chat, agent', becomes: `${CHAT.id},${AGENT.id}`, calls: 1 },
    { name: 'target', value: '12345678', becomes: DIGITS.id, calls: 1 },
    { name: 'target_uuid', value: CHAT.id, becomes: CHAT.id, calls: 0 },
    { name: 'profile_name', value: 'chat', becomes: 'chat', calls: 0 },
    { name: 'target', value: '${AiSec.Target.uuid}', becomes: '${AiSec.Target.uuid}', calls: 0 },
  ])('$name=$value becomes $becomes after $calls list calls', async ({ name, value, becomes, calls }) => {
    const outcome = await resolved(name, value);
    expect(outcome).toMatchObject({ pair: { value: becomes }, calls });
    expect(outcome.pair?.name).toBe(name === 'target' ? 'target_uuid' : name);
  });

  test('the context of the session is searched before the service', async () => {
    const context = { AiSec: { Target: [{ uuid: AGENT.id, name: 'known here' }] } };
    expect(await resolved('target', 'known here', { context })).toMatchObject({ pair: { value: AGENT.id }, calls: 0 });
  });

  test('the context decides nothing for a deletion', async () => {
    const context = { AiSec: { Target: [{ uuid: AGENT.id, name: 'chat' }] } };
    const outcome = await resolved('target', 'chat', { context, effect: 'delete' });
    expect(outcome).toMatchObject({ pair: { value: CHAT.id }, calls: 1 });
    const twins = { AiSec: { Target: [{ uuid: AGENT.id, name: 'twin' }] } };
    await expect(resolved('target', 'twin', { context: twins, effect: 'delete' })).rejects.toThrow('2 records fit');
    const failure = new Error('Down.');
    await expect(resolved('target', 'chat', { context, effect: 'delete', failure })).rejects.toMatchObject({
      exitCode: 5,
      hint: 'Give the full id.',
    });
  });

  test.each([
    { value: 'chta', hint: 'Did you mean "chat"?' },
    { value: 'nothing', hint: 'See the targets with: !aisec-target-list' },
    { value: '2c8', hint: 'at least 4 characters' },
  ])('$value names no record: the error suggests near names, and nothing is sent', async ({ value, hint }) => {
    await expect(resolved('target', value)).rejects.toMatchObject({
      exitCode: 5,
      argument: 'target_uuid',
      message: `target_uuid: aisec-target-list shows no "${value}".`,
      hint: expect.stringContaining(hint),
    });
  });

  test.each([
    { value: 'twin', candidates: '17b9e4c2 (twin, 3d), 27b9e4c2 (twin, 2d)' },
    { value: '2c8f', candidates: '2c8f5e1b (chat), 2c8f6000 (agent)' },
    { value: '2c8f6', candidates: '2c8f6000 (agent), 12345678 (2c8f6)' },
  ])('$value is ambiguous: the candidates are listed', async ({ value, candidates }) => {
    await expect(resolved('target', value)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining('2 records fit'),
      hint: expect.stringContaining(candidates),
    });
  });

  test.each(['chat', '2c8f5e1b', 'nothing'])('%s is ambiguous if the list has further records', async (value) => {
    await expect(resolved('target', value, { isCut: true })).rejects.toMatchObject({
      exitCode: 5,
      message: `target_uuid: only the first 5 were searched for "${value}".`,
    });
  });
});

describe('a list that fails', () => {
  test('leaves the word unchanged, with a note', async () => {
    const { pair, notes } = await resolved('target', 'chat', { failure: new Error('Down.') });
    expect(pair).toEqual({ name: 'target_uuid', value: 'chat' });
    expect(notes).toEqual([expect.stringContaining('could not look up target_uuid')]);
  });

  test.each([{ failure: new CancelledError('Stopped.') }, { failure: new ConfigurationError('No tenant.') }])(
    'ends the line: $failure.message',
    async ({ failure }) => {
      await expect(resolved('target', 'chat', { failure })).rejects.toBe(failure);
    },
  );
});

describe('a deletion without a question', () => {
  test('takes a full name', async () => {
    expect(await resolved('target', 'chat', { needsFull: true })).toMatchObject({ pair: { value: CHAT.id } });
  });

  test('refuses an id prefix', async () => {
    await expect(resolved('target', '2c8f5e1b', { needsFull: true })).rejects.toMatchObject({
      exitCode: 2,
      hint: `Give the full id, or the full name: target_uuid=${CHAT.id}`,
    });
  });

  test.each([
    { what: 'in a script', words: [], says: 'needs all of it', code: 2 },
    { what: 'as a plan', words: ['--dry-run'], says: 'DELETE', code: 0 },
  ])('of the real program: $what', async ({ words, says, code }) => {
    const ended = await run([
      'redteam-targets-delete',
      `target=${RED_TEAM_IDS.targets.supportChatbot.slice(0, 8)}`,
      ...words,
    ]);
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringContaining(says)]);
  });
});

describe('names for ids in a command line', () => {
  const WIDGETS: Lookup = { command: 'aisec-widget-list', noun: 'widget', id: ['name'], name: ['note'] };
  const turn = command('aisec-widget-turn', 'Turn a widget.', {
    effect: 'read',
    args: { widget_id: text('Widget.', { lookup: WIDGETS }) },
    output: one(Target),
    run: async ({ widget_id }) => ({ uuid: widget_id, name: '' }),
  });
  const LINE = 'widget-turn widget="turns too"';
  const turned = async ({ options = [], ...given }: Given & { options?: readonly string[] }) => {
    const words = given.input === undefined ? [LINE, ...options] : [];
    const extra = { [turn.name]: async () => turn };
    return rehearse([...words, '--output', 'context'], { ...given, extra });
  };

  test('are sent as typed, without a look-up, with --exact', async () => {
    const { code, stdout, requests } = await turned({ terminal: true, options: ['--exact'] });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { uuid: 'turns too' }]);
    expect(requests).toHaveLength(0);
  });

  test.each([
    { where: 'a person sees the result', given: { terminal: true } },
    { where: 'the result goes to a program', given: { terminal: false } },
    { where: 'the line comes from a script', given: { terminal: false, input: `${LINE}\n` } },
  ])('are resolved by one list call if $where', async ({ given }) => {
    const { code, stdout, stderr, requests } = await turned(given);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { uuid: 'nut' }]);
    expect(stderr).toContain('note: widget_id is nut (turns too)');
    expect(requests.filter(({ url }) => url.includes('/widgets'))).toHaveLength(1);
  });
});

describe('A record that a command accepts by id and by name', () => {
  const ID = '1d5e9b37-a8c2-4f60-b3d9-4e07c6f28a51';
  const COMMANDS = ['runtime-customer-apps-violations', 'runtime-customer-apps-consumption'];
  const LINES = [
    ['support-chat'],
    [ID],
    ['app_id=support-chat'],
    [`app_id=${ID}`],
    ['app_name=support-chat'],
    ['support-chat', 'app_name=support-chat'],
  ];

  test.each(COMMANDS.flatMap((name) => LINES.map((words) => ({ name, words }))))(
    'is given only once: $name $words',
    async ({ name, words }) => {
      const asked: string[] = [];
      const { code, stderr } = await run([name, ...words], {
        alter: (path, response, url) => {
          asked.push(path.includes('/customerapp/') ? 'list' : url.search);
          return response;
        },
      });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
      expect(asked.filter((each) => each === 'list').length).toBeLessThan(2);
      expect(asked.at(-1)).toContain(`appid=${ID}&appname=support-chat`);
    },
  );

  test.each([
    { words: ['app_name=nothing'], says: 'shows no "nothing"' },
    { words: ['2d5e9b37-a8c2-4f60-b3d9-4e07c6f28a51'], says: 'The required argument app_name is missing.' },
    { words: [], says: 'app_id is missing' },
    { words: ['support-chat', '--exact'], says: 'app_name is missing' },
  ])('is required if no argument names it: $words', async ({ words, says }) => {
    const { code, stderr } = await run([COMMANDS[0] ?? '', ...words]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(says);
  });
});

const { jobs, targets } = RED_TEAM_IDS;
const NAMED = 'aisec-redteam-targets-get';
const NAME = 'support-chatbot';

/** A scan names its profile by profile_name, so it does not need permission to list profiles. */
const BY_NAME = 'aisec-runtime-scan profile_id';

describe('a script names records as the tables show them', () => {
  const short = (id: string) => id.slice(0, 8);

  test.each([
    { line: ['redteam-targets-get', `target=${NAME}`], id: targets.supportChatbot },
    { line: ['redteam-targets-get', short(targets.supportChatbot)], id: targets.supportChatbot },
    { line: ['redteam-scan-get', `scan=${short(jobs.static)}`], id: jobs.static },
  ])('$line', async ({ line, id }) => {
    const { code, stdout } = await run(line);
    expect([code, stdout]).toEqual([0, expect.stringContaining(id)]);
  });

  test('every argument that takes a UUID has a list that shows it', async () => {
    const without: string[] = [];
    for (const [command, load] of Object.entries(commands)) {
      for (const [name, { schema, lookup }] of Object.entries((await load()).args))
        if (schema['title'] === 'a UUID' && lookup === undefined) without.push(`${command} ${name}`);
    }
    expectNone(
      without.filter((each) => each !== BY_NAME),
      'argument without a list',
    );
  });
});

describe('names stay text', () => {
  closeConnectionsAfterEach();

  test('in a playbook', async () => {
    const file = join(temporaryFolder('names'), 'playbook.yml');
    const task = `{id: '1', taskid: '1', type: regular, task: {id: '1', name: get, script: '|||${NAMED}', iscommand: true}, scriptarguments: {uuid: {simple: ${NAME}}}}`;
    const start = "{id: '0', taskid: '0', type: start, task: {id: '0'}, nexttasks: {'#none#': ['1']}}";
    writeFileSync(file, `id: names\nname: names\nstarttaskid: '0'\ntasks: {'0': ${start}, '1': ${task}}\n`);
    const { code, stderr } = await run(['playbook', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`uuid must be a UUID, not "${NAME}"`)]);
  });

  test('in the service', async () => {
    const server: Server = await startService({});
    try {
      expect(await server.run(NAMED, { uuid: NAME })).toMatchObject({ status: 400 });
      expect(await server.run(NAMED, { target: NAME })).toMatchObject({ status: 400 });
    } finally {
      await server.close();
    }
  });

  test('for agents', async () => {
    const { call } = await connect({ tools: NAMED });
    expect(await call(NAMED, { uuid: NAME })).toMatchObject({ isError: true });
  });
});

const HTML = join(temporaryFolder('names'), 'page.html');
/** Two scans of the simulated tenant scan this model. */
const AMBIGUOUS = 'https://hub.example.com/acme/summarizer';

describe('the scan of a subcommand', () => {
  test.each([{ words: ['gate', 'model', AMBIGUOUS] }, { words: ['report', AMBIGUOUS, '--html', HTML] }])(
    'is refused with the candidates if $words names several',
    async ({ words }) => {
      const { code, stderr } = await run(words);
      expect(code).toBe(5);
      expect(stderr).toContain(`2 records fit "${AMBIGUOUS}"`);
      expect(stderr).toMatch(/Give more of the id: 27f0b6e4 .*, ac61d8f3 |ac61d8f3 .*, 27f0b6e4 /);
    },
  );

  test.each([
    { words: ['gate', 'model', 'ac61'] },
    { words: ['gate', 'redteam', '94e0', '--max-asr', '90'] },
    { words: ['watch', '94e0'] },
    { words: ['compare', '94e0', '2c8f'] },
  ])('is used as typed with --exact: $words', async ({ words }) => {
    const { code, stderr } = await run([...words, '--exact']);
    expect(code).toBe(2);
    expect(stderr).toContain('must be a UUID');
  });
});
