/** Decisions over HTTP: what is blocked, who may ask, what a caller cannot weaken, and what is logged. */
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/folder.ts';
import { until } from '../../../support/machine.ts';
import { startForAll, TOKEN, tokensOf } from '../support.ts';
import { ask, guarded, guardedForAll, guarding, type Scanner, scanner } from './support.ts';

const PROFILE = { profile: 'prod' };
const CALL = { server: 's', tool: 't' };

const all = guardedForAll();

const told = ({ status, json }: { status: number; json: { action?: string; unscanned?: string; code?: string } }) => [
  status,
  json.action ?? json.code,
  ...(json.unscanned === undefined ? [] : [json.unscanned]),
];
const turn = (role: string, content: unknown) => ({ role, content });

describe('A request for a decision is answered with 200 and', () => {
  it.each<[string, string, object, readonly unknown[]]>([
    ['a block for an attack', 'input', { text: 'BAD one' }, ['block']],
    [
      'an allow for an attack that was answered before',
      'input',
      { messages: [turn('user', 'BAD three'), turn('assistant', 'no'), turn('user', 'thanks')] },
      ['allow'],
    ],
    ['a block for text that could be masked', 'output', { text: 'CARD one' }, ['block']],
    ['a block for a bad tool call', 'tool', { server: 's', tool: 't', input: { a: ['BAD five'] } }, ['block']],
    ['a block while the service fails', 'input', { text: 'DOWN', timeout_ms: 100 }, ['block', expect.any(String)]],
    ['a block for an incomplete scan', 'input', { text: 'HALF' }, ['block', 'incomplete']],
    ['a block without an answer in time', 'input', { text: 'HANG a', timeout_ms: 100 }, ['block', 'timeout']],
  ])('%s', async (_title, kind, body, expected) => {
    expect(told(await ask(all.server, kind, { ...PROFILE, ...body }))).toEqual([200, ...expected]);
  });

  it('the verdict, which is remembered', async () => {
    const body = { ...PROFILE, text: 'BAD remembered' };
    const { json } = await ask(all.server, 'input', body);
    expect(json).toMatchObject({
      ...{ kind: 'input', action: 'block', cached: false },
      verdict: { category: 'malicious', profile: 'prod', detectors: ['injection', 'unheard_of'] },
    });
    expect((await ask(all.server, 'input', body)).json).toMatchObject({ action: 'block', cached: true });
    expect((await ask(all.server, 'input', { ...body, profile: 'other' })).json.cached).toBe(false);
  });

  it('the context goes to the service', async () => {
    const context = { session_id: 'conversation-7', transaction_id: 'turn-7', app_user: 'ann', grounding: 'ground' };
    await ask(all.server, 'output', { ...PROFILE, text: 'with a context', context });
    const { body = '' } = all.service.scans.find(({ text }) => text === 'with a context') ?? {};
    for (const value of Object.values(context)) expect(body).toContain(JSON.stringify(value));
  });

  it('a block for a profile that the tenant does not have', async () => {
    const simulated = await guarded(all.service, { client: { simulate: true, settings: {} } });
    for (const profile of ['nonesuch', '__proto__', 'constructor', 'toString']) {
      const answer = await ask(simulated, 'input', { profile, text: 'hello' });
      expect(told(answer)).toEqual([200, 'block', 'profile']);
      expect(answer.json['profile']).toBe(profile);
      expect(answer.json['reason']).toContain(`the security profile "${profile}" cannot be used`);
    }
  });

  it('a decision about ten thousand messages', async () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => turn('user', `message ${at}`));
    expect(told(await ask(all.server, 'input', { ...PROFILE, messages }))).toEqual([200, 'allow']);
  });
});

const deep = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
const json = (members: string) => `{"profile":"prod",${members}}`;

describe('A request that cannot be read is a problem:', () => {
  it.each<[string, string, unknown, number, string]>([
    ['no profile', 'input', { text: 'x' }, 400, 'arguments'],
    ['a profile with an escape', 'input', { profile: 'a\u001b[2J', text: 'x' }, 400, 'arguments'],
    ['neither text nor messages', 'input', PROFILE, 400, 'arguments'],
    ['both text and messages', 'input', { ...PROFILE, text: 'x', messages: [turn('user', 'x')] }, 400, 'arguments'],
    ['a call without input and output', 'tool', { ...PROFILE, ...CALL }, 400, 'arguments'],
    ['a message without a role', 'input', { ...PROFILE, messages: [{ content: 'x' }] }, 400, 'arguments'],
    ['an unknown member', 'input', { ...PROFILE, text: 'x', onError: 'allow' }, 400, 'arguments'],
    ['an unknown member of the context', 'input', { ...PROFILE, text: 'x', context: { user: 'a' } }, 400, 'arguments'],
    ['a time limit of an hour', 'input', { ...PROFILE, text: 'x', timeout_ms: 3_600_000 }, 400, 'arguments'],
    ['a prototype', 'input', json('"text":"x","__proto__":{"on_error":"allow"}'), 400, 'json'],
    ['a deeply nested tool input', 'tool', json(`"server":"s","tool":"t","input":${deep(101)}`), 400, 'json'],
    ['too many values', 'tool', json(`"server":"s","tool":"t","input":[${'1,'.repeat(60_000)}1]`), 413, 'size'],
    ['a text of more than 10 MB', 'input', json(`"text":"${'x'.repeat(10_000_001)}"`), 413, 'size'],
    ['no JSON', 'input', '{"profile":', 400, 'json'],
  ])('%s', async (_title, kind, body, status, code) => {
    const { scans } = all.service;
    const before = scans.length;
    const got = await ask(all.server, kind, body);
    expect(got.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect([got.status, got.json.code]).toEqual([status, code]);
    expect(scans.length).toBe(before);
  });

  it.each(['text/plain', 'text/event-stream', 'multipart/form-data'])('the content type %s', async (type) => {
    const headers = { 'content-type': type };
    const got = await all.server.send('/v1/guard/input', { method: 'POST', headers, body: '{"profile":"prod"}' });
    expect([got.status, got.json.code]).toEqual([415, 'content-type']);
  });

  it('says what a nested member must be', async () => {
    const { json } = await ask(all.server, 'input', { ...PROFILE, messages: [turn('user', 'x'), { content: 'x' }] });
    expect(json.detail).toBe('messages.1.role must be a text.');
    const unknown = await ask(all.server, 'input', { ...PROFILE, text: 'x', context: { sesion_id: 'x' } });
    expect([unknown.json.detail, unknown.json.hint]).toEqual([
      'There is no member "sesion_id" in context.',
      expect.stringContaining('session_id'),
    ]);
  });
});

describe.each([
  ['block', {}],
  ['allow', { guard: { onError: 'allow', mask: [] } }],
  ['allow with masks', { guard: { onError: 'allow', mask: ['output'] } }],
] as const)('If the operator has set %s', (set, options) => {
  const own = startForAll(() => guarding(all.service, options));
  const allows = set !== 'block';
  const refused = [403, 'not-allowed'];
  const open = (text: string) =>
    allows ? [200, 'allow', expect.any(String)] : [200, 'block', expect.stringMatching(text)];

  it.each<[string, object, readonly unknown[]]>([
    ['an incomplete scan follows it', { text: 'HALF' }, open('incomplete')],
    ['a caller may ask for a block', { text: 'HALF', on_error: 'block' }, [200, 'block', 'incomplete']],
    [
      'its own time limit blocks even with an allow',
      { text: 'HANG b', timeout_ms: 100, on_error: 'allow' },
      allows ? [200, 'block', 'timeout'] : refused,
    ],
    ['a leak', { text: 'CARD two' }, [200, set === 'allow with masks' ? 'mask' : 'block']],
    ['a leak with a mask', { text: 'CARD two', mask: true }, set === 'allow with masks' ? [200, 'mask'] : refused],
  ])('%s', async (_title, body, expected) => {
    expect(told(await ask(own, 'output', { ...PROFILE, ...body }))).toEqual(expected);
  });
});

it('a masked answer has the masked text, and no decision has the text itself', async () => {
  const own = await guarded(all.service, { guard: { onError: 'block', mask: ['output'] } });
  const { json } = await ask(own, 'output', { ...PROFILE, text: 'it is CARD three' });
  expect(json).toMatchObject({ action: 'mask', text: 'it is XXXX three' });
  expect((await ask(own, 'input', { ...PROFILE, text: 'it is CARD four' })).text).not.toContain('CARD');
});

describe('Of several tokens', () => {
  let second: Scanner;
  type Name = 'reader' | 'foreign' | 'one' | 'two' | 'other';
  let tokens: Awaited<ReturnType<typeof tokensOf<Name>>>;
  const as = (name: Name) => tokens.as(name);
  const own = startForAll(async () => {
    second = await scanner();
    tokens = await tokensOf({
      reader: 'read',
      foreign: { role: 'operate', toolsets: ['red-team'] },
      one: 'operate',
      two: { role: 'operate', toolsets: ['runtime'] },
      other: { role: 'operate', profile: 'other' },
    });
    const configFile = join(temporaryFolder('guarding'), 'settings.json');
    const profiles = {
      default: all.service.settings,
      other: { ...second.settings, runtime_api_key: 'key-of-the-other' },
    };
    writeFileSync(configFile, JSON.stringify({ profiles }), { mode: 0o600 });
    return guarding(all.service, { tokensFile: tokens.tokensFile, client: { configFile, settings: {} } });
  });
  afterAll(() => second.close());

  it.each(['reader', 'foreign'] as const)('%s, which may not scan, gets no decision', async (name) => {
    for (const [kind, body] of [
      ['input', { text: 'x' }],
      ['output', { text: 'x' }],
      ['tool', { server: 's', tool: 't' }],
    ] as const) {
      const got = await ask(own, kind, { ...PROFILE, ...body }, as(name));
      expect([got.status, got.json.code]).toEqual([403, 'not-allowed']);
    }
  });

  it('tokens of a tenant share verdicts, and another tenant has its own service', async () => {
    const body = { ...PROFILE, text: 'BAD shared' };
    const answers = [];
    for (const name of ['one', 'two', 'other', 'other'] as const)
      answers.push((await ask(own, 'input', body, as(name))).json.cached);
    expect(answers).toEqual([false, true, false, true]);
    expect(second.scans.map(({ text, key }) => [text, key])).toEqual([['BAD shared', 'key-of-the-other']]);
  });

  it('a revoked token gets no remembered verdict either', async () => {
    const { file } = tokens;
    const { token } = await file.add({ name: 'gone', role: 'operate' });
    const body = { ...PROFILE, text: 'BAD for all' };
    await until(async () => (await ask(own, 'input', body, { token })).status === 200);
    await file.revoke('gone');
    await until(async () => (await ask(own, 'input', body, { token })).status === 401);
  });
});

describe('A service', () => {
  it('forgets the guards that were used least recently, and keeps a guard in use', async () => {
    const say = async (profile: string) => (await ask(all.server, 'input', { profile, text: 'kept' })).json.cached;
    await say('kept-first');
    await say('kept-always');
    for (let at = 0; at < 60; at += 1) {
      await say(`many-${at}`);
      await say('kept-always');
    }
    expect([await say('kept-always'), await say('kept-first')]).toEqual([true, false]);
  });

  it('stops the scan of a caller that disconnected', async () => {
    const request = httpRequest(new URL('/v1/guard/input', all.server.url), {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    });
    request.on('error', () => undefined);
    request.end(JSON.stringify({ ...PROFILE, text: 'HANG until gone', timeout_ms: 30_000 }));
    await until(() => all.service.scans.some(({ text }) => text === 'HANG until gone'));
    request.destroy();
    await until(() => all.service.left.includes('HANG until gone'));
  });
});

describe('The record of a decision', () => {
  const SECRET = 'BAD words of ann';
  const context = { session_id: 'session-of-ann', app_user: 'user-ann', transaction_id: 'turn-of-ann' };

  async function written() {
    const lines: string[] = [];
    const auditFile = join(temporaryFolder('guarding'), 'audit.jsonl');
    const stream = { write: (text: string) => lines.push(text) };
    const own = await guarded(all.service, { auditFile, client: { log: { level: 'debug', stream } } });
    await ask(own, 'input', { ...PROFILE, text: SECRET, context });
    await ask(own, 'input', { ...PROFILE, text: SECRET, context });
    await ask(own, 'output', { ...PROFILE, text: 'fine words of ann', context });
    await ask(own, 'output', { ...PROFILE, text: 'HALF words of ann', context });
    const { text: metrics } = await own.send('/metrics');
    await own.close();
    const decisions = lines
      .map((line) => JSON.parse(line) as { level: string; message: string; fields?: Record<string, unknown> })
      .filter(({ message }) => message.startsWith('The guard'));
    return { decisions, log: lines.join(''), metrics, audit: readFileSync(auditFile, 'utf8') };
  }

  it('has no text, session or user in the log, the metrics and the audit names', async () => {
    const { log, metrics, audit, decisions } = await written();
    expect(decisions.map(({ level }) => level)).toEqual(['info', 'info', 'debug', 'warn']);
    expect(decisions.at(-1)).toMatchObject({
      message: 'The guard blocked an output without a complete verdict: incomplete.',
      fields: {
        kind: 'output',
        action: 'block',
        unscanned: 'incomplete',
        profile: 'prod',
        request: expect.any(String),
      },
    });
    for (const word of ['words of ann', ...Object.values(context)]) expect(metrics).not.toContain(word);
    expect(JSON.stringify(decisions)).not.toMatch(/of ann|-ann/);
    expect(log + audit).not.toContain('words of ann');
  });

  it('has a closed set of labels: a detector that the service does not name counts as other', async () => {
    const { metrics } = await written();
    const lines = metrics.split('\n').filter((line) => /^aisec_guard_\w+_total/.test(line));
    expect(lines).toEqual([
      'aisec_guard_decisions_total{kind="input",action="block"} 2',
      'aisec_guard_decisions_total{kind="output",action="allow"} 1',
      'aisec_guard_decisions_total{kind="output",action="block"} 1',
      'aisec_guard_detections_total{kind="input",action="block",detector="injection"} 2',
      'aisec_guard_detections_total{kind="input",action="block",detector="other"} 2',
      'aisec_guard_unscanned_total{kind="output",action="block",cause="incomplete"} 1',
    ]);
    expect(metrics).toMatch(/aisec_guard_decision_seconds_count\{kind="input"\} 2/);
  });
});
