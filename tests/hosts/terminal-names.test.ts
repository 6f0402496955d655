import { management } from '../../lib/api/call.ts';
import { path } from '../../lib/api/path.ts';
import type { Lookup } from '../../lib/arguments/builders.ts';
import { command, many, one, text, uuid, uuids } from '../../lib/engine/declare.ts';
import { resolveNames } from '../../lib/hosts/terminal/complete/names.ts';
import { record, string } from '../../lib/output/record.ts';
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
const TWINS = ['1', '2'].map((digit) => ({ id: `${digit}7b9e4c2-0d6f-4a58-a1c7-f5e820d3b946`, name: 'twin' }));

async function resolved(name: string, value: string, context: Record<string, unknown> = {}) {
  const calls: string[] = [];
  const notes: string[] = [];
  const listed = async (lookup: Lookup) => {
    calls.push(lookup.command);
    return [CHAT, AGENT, ...TWINS];
  };
  const pairs = name === '' ? [] : [{ name, value }];
  const invocation = { name: scan.name, pairs, positionals: name === '' ? [value] : [] };
  const outcome = await resolveNames(invocation, scan, {
    ...{ registry, context, list: listed },
    note: (line) => notes.push(line),
  });
  return { pair: outcome.pairs[0], positional: outcome.positionals[0], calls: calls.length, notes };
}

describe('a name or a prefix, typed where an id belongs', () => {
  test.each([
    { name: 'target_uuid', value: 'chat', becomes: CHAT.id, calls: 1 },
    { name: 'target', value: 'chat', becomes: CHAT.id, calls: 1 },
    { name: 'target', value: '2C8F5', becomes: CHAT.id, calls: 1 },
    { name: 'others', value: 'chat, agent', becomes: `${CHAT.id},${AGENT.id}`, calls: 1 },
    { name: 'target', value: 'nothing', becomes: 'nothing', calls: 1 },
    { name: 'target', value: '2c8', becomes: '2c8', calls: 1 },
    { name: 'target_uuid', value: CHAT.id, becomes: CHAT.id, calls: 0 },
    { name: 'profile_name', value: 'chat', becomes: 'chat', calls: 0 },
    { name: 'target', value: '${AiSec.Target.uuid}', becomes: '${AiSec.Target.uuid}', calls: 0 },
  ])('$name=$value becomes $becomes after $calls list calls', async ({ name, value, becomes, calls }) => {
    const outcome = await resolved(name, value);
    expect(outcome).toMatchObject({ pair: { value: becomes }, calls });
    expect(outcome.pair?.name).toBe(name === 'target' ? 'target_uuid' : name);
  });

  test('a value without its argument name is resolved too', async () => {
    expect((await resolved('', 'chat')).positional).toBe(CHAT.id);
  });

  test('the context of the session is searched before the service', async () => {
    const context = { AiSec: { Target: [{ uuid: AGENT.id, name: 'known here' }] } };
    expect(await resolved('target', 'known here', context)).toMatchObject({ pair: { value: AGENT.id }, calls: 0 });
  });

  test.each([
    { value: 'chta', note: 'note: target_uuid: aisec-target-list shows no "chta". Did you mean "chat"?' },
    { value: 'gent', note: 'note: target_uuid: aisec-target-list shows no "gent". Did you mean "agent"?' },
    { value: 'nothing', note: 'note: target_uuid: aisec-target-list shows no "nothing".' },
  ])('$value is sent as typed, with a note that lists the candidates', async ({ value, note }) => {
    expect(await resolved('target', value)).toMatchObject({ pair: { value }, notes: [note] });
  });

  test.each(['twin', '2c8f'])('%s is ambiguous: the candidates are listed', async (value) => {
    await expect(resolved('target', value)).rejects.toMatchObject({
      message: expect.stringContaining('2 records fit'),
      hint: expect.stringContaining(value === 'twin' ? '(twin)' : '(agent)'),
    });
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
  const turned = async (given: Given) => {
    const words = given.input === undefined ? [LINE] : [];
    const extra = { [turn.name]: async () => turn };
    return rehearse([...words, '--output', 'context'], { ...given, extra });
  };

  test('are resolved if a person types the line and sees the result', async () => {
    const { stdout, stderr } = await turned({ terminal: true });
    expect(JSON.parse(stdout)).toMatchObject({ uuid: 'nut' });
    expect(stderr).toContain('note: widget_id is nut (turns too)');
  });

  test.each([
    { where: 'the result goes to a program', given: { terminal: false } },
    { where: 'the line comes from a program', given: { terminal: true, input: `${LINE}\n` } },
    { where: 'both do', given: { terminal: false, input: `${LINE}\n` } },
  ])('are sent as typed, without a look-up, if $where', async ({ given }) => {
    const { code, stderr, requests } = await turned(given);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'arguments', argument: 'widget' } });
    expect(requests).toHaveLength(0);
  });
});
