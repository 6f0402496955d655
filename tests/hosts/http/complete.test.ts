/** Completion of a session's lines: commands, arguments, values, paths, and how a line is understood. */
import { registry } from '../../../commands/index.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import { type OfferSources, offersAt } from '../../../lib/hosts/http/completion/offers.ts';
import { describe as describeCommand } from '../../../lib/manifest/describe.ts';
import { quotedValue } from '../../../lib/runtime/arguments/quoted-value.ts';
import { findCommand } from '../../../lib/runtime/engine/command.ts';
import { until } from '../../support/machine.ts';
import { list, type Sent, type Server, startBriefly, startForAll, tokensOf } from './support.ts';

const TOPIC = '!aisec-runtime-topics-create topic_name=payroll description="Salaries." examples="What?,Who?"';
const TEXTS = { description: 'Salaries.', examples: 'What?,Who?' };
const server = startForAll();

async function open(on: Server = server, sent: Sent = {}): Promise<string> {
  return String((await on.send('/v1/sessions', { method: 'POST', body: {}, ...sent })).json.url);
}

async function complete(
  url: string,
  line: string,
  { on = server, cursor = line.length, sent = {}, confirm = true } = {},
) {
  const { status, json } = await on.send(`${url}/complete`, {
    method: 'POST',
    body: { line, cursor, confirm },
    ...sent,
  });
  expect([status, json.detail]).toEqual([200, undefined]);
  return { ...json, texts: list(json.offers).map(({ text }) => String(text)) };
}

const say = (url: string, line: string, { on = server, sent = {} } = {}) =>
  on.send(`${url}/lines`, { method: 'POST', body: { line }, ...sent });

describe('The offers for a line', () => {
  it.each([
    ['the beginning of a name', '!aisec-runtime-topics-l', ['!aisec-runtime-topics-list '], 0],
    ['a short name, because a line takes the full name', ' runtime-scan', ['aisec-runtime-scan '], 1],
    ['a part of a name', 'topics-appl', ['aisec-runtime-topics-apply '], 0],
    ['no name', 'aisec-nothing', [], 0],
    ['a space after the name', '!aisec-runtime-topics-list ', ['limit=', 'offset='], 27],
    ['given arguments', '!aisec-runtime-topics-list limit=1 ', ['offset='], 35],
    ['a part of an argument', '!aisec-runtime-topics-list ffs', ['offset='], 27],
    ['an argument of the platform', '!aisec-runtime-topics-list execution', ['execution-timeout='], 27],
    ['a closed value', '!aisec-redteam-scan-create job_type=d', ['DYNAMIC'], 36],
    ['an open quote', '!aisec-redteam-scan-create job_type="DY', ['DYNAMIC'], 36],
    ['the name of a profile', '!aisec-runtime-scan profile_name=pro', ['prod'], 33],
    ['an option, which lines do not take', '!aisec-runtime-topics-list --fi', [], 27],
    ['an unknown argument', '!aisec-runtime-topics-list nothing=', [], 35],
    ['an unknown command', '!aisec-runtime-nothing limit=', [], 23],
  ])('after %s', async (_, line, texts, from) => {
    expect(await complete(await open(), line)).toMatchObject({ texts, from });
  });

  it('are for the text before the cursor', async () => {
    const line = '!aisec-runtime-topics-l limit=3';
    const { texts, arguments: typed } = await complete(await open(), line, { cursor: 23 });
    expect([texts, typed]).toEqual([['!aisec-runtime-topics-list '], []]);
  });

  it('begin with the required arguments, and describe each', async () => {
    const { offers, missing } = await complete(await open(), '!aisec-redteam-scan-create ');
    expect(list(offers).slice(0, 2)).toEqual([
      { text: 'name=', description: expect.stringContaining('Name of the scan') },
      { text: 'target_uuid=', description: expect.any(String) },
    ]);
    expect(missing).toEqual(['name', 'target_uuid']);
  });

  it('are ids with the names of their records, also for a part of the name', async () => {
    const { offers } = await complete(await open(), '!aisec-runtime-topics-get topic_id=advi');
    expect(offers).toEqual([{ text: expect.stringMatching(/^[\da-f-]{36}$/), description: 'investment-advice' }]);
  });

  it('have a new record at once after the line that made it', async () => {
    const own = await startBriefly();
    const url = await open(own);
    const line = '!aisec-runtime-topics-get topic_id=payr';
    expect((await complete(url, line, { on: own })).texts).toEqual([]);
    expect((await say(url, TOPIC, { on: own })).json.problem).toBeUndefined();
    expect((await complete(url, line, { on: own })).texts).toHaveLength(1);
  });

  it('list a kind of record once, however much is typed', async () => {
    const own = await startBriefly({ client: { simulate: { latencyMs: 300 } } });
    const url = await open(own);
    const line = '!aisec-runtime-topics-get topic_id=';
    const answers = await Promise.all(['', 'i', 'in', 'inv'].map((typed) => complete(url, line + typed, { on: own })));
    // The service takes longer than a person wants to wait for a letter.
    expect(answers.flatMap(({ texts }) => texts)).toEqual([]);
    await until(async () => (await complete(url, line, { on: own })).texts.length > 0);
    const { text } = await own.send('/metrics');
    const sent = [...text.matchAll(/^aisec_upstream_requests_total\{(.*)\} (\d+)$/gm)];
    expect(
      sent.filter(([, labels]) => labels?.includes('plane="token"') === false).map(([, , count]) => count),
    ).toEqual(['1']);
  });

  it('are paths of the context inside a reference', async () => {
    const url = await open();
    await say(url, '!aisec-runtime-topics-list limit=1');
    const start = '!aisec-runtime-topics-get topic_id=${AiSec.To';
    expect(await complete(url, start)).toMatchObject({ texts: ['AiSec.Topic'], from: start.length - 8 });
    const { texts } = await complete(url, `${start}pic.[0].topic_i`);
    expect(texts).toEqual(['AiSec.Topic.[0].topic_id}']);
  });
});

describe('The rights of a token', () => {
  it('limit the commands, the lists and the paths', async () => {
    const tokens = await tokensOf({ reader: 'read', red: { role: 'admin', toolsets: ['red-team'] }, admin: 'admin' });
    const own = await startBriefly({ tokensFile: tokens.tokensFile });
    const [reader, red] = [
      { on: own, sent: tokens.as('reader') },
      { on: own, sent: tokens.as('red') },
    ];
    const url = await open(own, reader.sent);
    expect((await complete(url, 'topics-', reader)).texts).toEqual([
      'aisec-runtime-topics-list ',
      'aisec-runtime-topics-get ',
    ]);
    const line = '!aisec-runtime-topics-delete topic_id=x';
    expect(await complete(url, line, reader)).toMatchObject({
      texts: [],
      command: null,
      arguments: [],
      question: null,
    });
    const other = await open(own, red.sent);
    expect((await complete(other, 'runtime-sc', red)).texts).toEqual([]);
    const { status } = await own.send(`${url}/complete`, { method: 'POST', body: { line, cursor: 0 }, ...red.sent });
    expect(status).toBe(404);
  });
});

describe('A line', () => {
  it.each([
    ['nothing', '', null, []],
    ['an open quote', '!aisec-runtime-scan prompt="one two', 'aisec-runtime-scan', [['prompt', 'one two']]],
    [
      'escapes',
      '!aisec-runtime-scan prompt="a \\"b\\" c" x=`y`',
      'aisec-runtime-scan',
      [
        ['prompt', 'a "b" c'],
        ['x', 'y'],
      ],
    ],
    ['line breaks', '!aisec-runtime-scan prompt="a\nb"', 'aisec-runtime-scan', [['prompt', 'a\nb']]],
    ['an empty value', '!aisec-runtime-topics-list limit=', 'aisec-runtime-topics-list', [['limit', '']]],
  ])('with %s is understood as far as it is typed', async (_, line, command, typed) => {
    const answer = await complete(await open(), line);
    const pairs = list(answer.arguments).map(({ name, value }) => [name, value]);
    expect([answer.command, pairs]).toEqual([command, typed]);
  });

  it.each([
    [
      'topic_id=0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30',
      'Delete custom topic "investment-advice" (0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30) on the simulated tenant?',
    ],
    [
      'topic_id=${AiSec.Topic.topic_id}',
      'Delete custom topic "investment-advice" (0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30) on the simulated tenant?',
    ],
    [
      'topic_id=0b6c2f74',
      'Delete custom topic "investment-advice" (0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30) on the simulated tenant?',
    ],
    [
      'topic_id=investment-advice',
      'Delete custom topic "investment-advice" (0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30) on the simulated tenant?',
    ],
    ['topic_id=nothing-like-this', null],
    [
      'topic_id=ffffffff-9d3e-4a81-b5f6-e8127ac49d30',
      'Delete custom topic "ffffffff-9d3e-4a81-b5f6-e8127ac49d30" on the simulated tenant?',
    ],
    ['', null],
    ['topic_id="open', null],
  ])('that deletes %s has the question of the terminal', async (words, question) => {
    const url = await open();
    await say(url, '!aisec-runtime-topics-list limit=1');
    expect(await complete(url, `!aisec-runtime-topics-delete ${words}`)).toMatchObject({ question });
  });

  it('that was confirmed deletes nothing but what its question named', async () => {
    const url = await open();
    const line =
      '!aisec-model-security-labels-delete scan_uuid=0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30 keys=${AiSec.Topic.topic_name}';
    const send = async (seal: string) =>
      (await server.send(`${url}/lines`, { method: 'POST', body: { line, seal } })).json;
    await say(url, '!aisec-runtime-topics-list limit=1');
    const asked = await complete(url, line);
    expect(asked.question).toContain('keys "investment-advice" on');
    expect((await send(asked.seal)).code).not.toBe('precondition');
    await say(url, '!aisec-runtime-topics-list limit=2');
    const refused = await send(asked.seal);
    expect(refused).toMatchObject({ status: 409, code: 'precondition', detail: expect.stringContaining('nothing') });
    const again = await complete(url, line);
    expect(again.question).toContain('keys "investment-advice", "insurance-claims" on');
    expect((await send(again.seal)).code).not.toBe('precondition');
    expect((await send('')).code).toBe('precondition');
  });

  it.each([
    ['a short id', '!aisec-runtime-topics-delete topic_id=0b6c2f74 force=true'],
    ['a name', 'runtime topics rm topic=investment-advice force=true'],
  ])('that deletes by %s needs its question, and then deletes that record', async (_, line) => {
    const own = await startBriefly();
    const url = await open(own);
    const send = async (body: object) => (await own.send(`${url}/lines`, { method: 'POST', body })).json;
    const topics = async () => (await own.run('aisec-runtime-topics-list')).text;
    for (const body of [{ line }, { line, seal: '' }]) expect((await send(body)).status).toBeGreaterThanOrEqual(400);
    expect(await topics()).toContain('0b6c2f74');
    const { question, seal, command } = await complete(url, line, { on: own });
    expect([command, question]).toEqual(['aisec-runtime-topics-delete', expect.stringContaining('0b6c2f74-9d3e')]);
    expect(await send({ line, seal })).toMatchObject({ line: expect.stringMatching(/^!aisec-runtime-topics-delete /) });
    expect(await topics()).not.toContain('0b6c2f74');
  });

  it('that deletes by a name deletes the record that has the name now, whatever the context says', async () => {
    const own = await startBriefly();
    const url = await open(own);
    const line = '!aisec-runtime-topics-delete topic_id=payroll';
    const create = async () => {
      const { json } = await own.run('aisec-runtime-topics-create', { ...TEXTS, topic_name: 'payroll' });
      return String(json.outputs['AiSec.TopicCreate'].topic_id);
    };
    const old = await create();
    await say(url, '!aisec-runtime-topics-list', { on: own });
    await own.run('aisec-runtime-topics-update', { ...TEXTS, topic_id: old, topic_name: 'renamed' });
    const current = await create();
    const { question, seal } = await complete(url, line, { on: own });
    expect(question).toBe(`Delete custom topic "payroll" (${current}) on the simulated tenant?`);
    await own.send(`${url}/lines`, { method: 'POST', body: { line, seal } });
    const { text } = await own.run('aisec-runtime-topics-list');
    expect([text.includes(old), text.includes(current)]).toEqual([true, false]);
  });

  const HEADERS = [{}, { prefer: 'respond-async' }, { 'idempotency-key': 'a' }];
  const REFUSED = [
    '!aisec-runtime-topics-delete topic_id=0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30',
    '!aisec-redteam-scan-abort job_id=nope',
  ];
  it('that deletes lists records for its question alone, and then anew', async () => {
    const own = await startBriefly();
    const url = await open(own);
    const set = (await own.run('aisec-redteam-prompt-sets-list')).json.raw[0].uuid;
    const sent = async () => {
      const { text } = await own.send('/metrics');
      const counts = [...text.matchAll(/^aisec_upstream_requests_total\{(.*)\} (\d+)$/gm)];
      return counts.reduce((sum, [, , count]) => sum + Number(count), 0);
    };
    const asked = async (line: string, confirm: boolean) => {
      const before = await sent();
      const { question } = await complete(url, line, { on: own, confirm });
      return [question, (await sent()) - before];
    };
    const prompt = `!aisec-redteam-prompts-delete prompt_set_uuid=${set} prompt_uuid=abcd`;
    await complete(url, prompt, { on: own, confirm: false });
    expect(await asked(prompt, false)).toEqual([null, 0]);
    const topic = '!aisec-runtime-topics-delete topic_id=investment-advice';
    await complete(url, topic, { on: own, confirm: false });
    for (const confirm of [true, true]) {
      expect(await asked(topic, confirm)).toEqual([expect.stringContaining('Delete'), 1]);
    }
    expect(await asked(topic, false)).toEqual([null, 0]);
  });

  it.each(REFUSED.flatMap((line) => HEADERS.map((headers) => [line, headers] as const)))(
    'that the role refuses says which role it needs, and leaves the room open: %s %j',
    async (line, headers) => {
      const { tokensFile, as } = await tokensOf({ reader: 'read' });
      const own = await startBriefly({ tokensFile });
      const sent = { method: 'POST', ...as('reader'), headers };
      const { url } = (await own.send('/v1/sessions', { ...sent, body: {} })).json;
      expect((await own.send(`${url}/lines`, { ...sent, body: { line } })).json).toMatchObject({
        ...{ status: 403, hint: expect.stringMatching(/^This token has the role read; the command needs the role /) },
      });
      expect((await own.send(`${url}/entries`, as('reader'))).status).toBe(200);
    },
  );

  it('that deletes names the tenant of the settings', async () => {
    const own = await startBriefly({
      client: { simulate: false, environment: { AISEC_URL: 'https://127.0.0.1:1', AISEC_TSG_ID: '1234567890' } },
    });
    const id = '0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30';
    const { question } = await complete(await open(own), `!aisec-runtime-topics-delete topic_id=${id}`, { on: own });
    expect(question).toBe(`Delete custom topic "${id}" on tenant 1234567890?`);
  });

  it.each([
    [{ line: 'x' }],
    [{ line: 'x', cursor: -1 }],
    [{ line: 'x', cursor: 0.5 }],
    [{ line: 'x'.repeat(100_001), cursor: 0 }],
    [{ line: 7, cursor: 0 }],
  ])('is refused if the request is malformed', async (body) => {
    expect((await server.send(`${await open()}/complete`, { method: 'POST', body })).status).toBe(400);
  });

  it('of every shape is answered', async () => {
    const url = await open();
    for (const piece of ['"', '\\"', '${', "'` ", 'a=" ', '=', ' \\\n"', '!', '\u202e']) {
      const line = `!aisec-runtime-scan ${piece.repeat(Math.floor(90_000 / piece.length))}`;
      expect(await complete(url, line)).toMatchObject({ command: 'aisec-runtime-scan' });
    }
  });
});

describe('A hostile tenant', () => {
  const HOSTILE = [
    'a" prompt="b',
    'two words',
    'a\nb',
    '${AiSec.Key}',
    'a\u202eb',
    '`x`',
    "it's",
    '<img src=x>',
    'a\\',
    '',
  ];

  async function sources(name: string, more: Partial<OfferSources>): Promise<OfferSources> {
    const command = await findCommand(registry, name);
    if (command === undefined) throw new Error(name);
    return { commands: [], command: describeCommand(command), context: {}, known: () => [], ...more };
  }

  it('cannot put another argument, a reference or a line break into the line with a name', async () => {
    const line = '!aisec-runtime-scan profile_name=';
    const known = () => HOSTILE.map((name, at) => ({ id: String(at), name }));
    const { offers, from } = offersAt(line, await sources('aisec-runtime-scan', { known }));
    const read = offers.map(({ text }) => parseLine(line.slice(0, from) + text).pairs);
    const safe = ['a" prompt="b', 'two words', '`x`', "it's", '<img src=x>', 'a\\'];
    expect(read).toEqual(safe.map((value) => [{ name: 'profile_name', value }]));
  });

  it('may have any name beside an id', async () => {
    const known = () => HOSTILE.map((name, at) => ({ id: String(at), name }));
    const { offers } = offersAt('!x topic_id=', await sources('aisec-runtime-topics-get', { known }));
    const named = HOSTILE.map((name, at) => ({ text: String(at), ...(name === '' ? {} : { description: name }) }));
    expect(offers).toEqual(named);
  });

  it('cannot end a reference with the name of a member', async () => {
    const context = { AiSec: Object.fromEntries(HOSTILE.concat('fine').map((name) => [name, 'x'])) };
    const { offers } = offersAt('!x y=${AiSec.', await sources('aisec-runtime-scan', { context }));
    expect(offers).toEqual([{ text: 'AiSec.fine}' }]);
  });
});

it.each(['plain', 'a b', 'a"b\\', '\\${x}', '${AiSec.Topic.[0]}', '"', 'a\nb', '\\', '\\\\${x} \\', "it's `", ''])(
  'A quoted value is read back from its line: %j',
  (value) => {
    expect(parseLine(`x a=${quotedValue(value)} b=1`).pairs).toEqual([
      { name: 'a', value },
      { name: 'b', value: '1' },
    ]);
  },
);
