/** Guarded streams over real sockets: which text is released, what ends a stream, and the limits. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/folder.ts';
import { until } from '../../../support/machine.ts';
import { opened, received } from '../sockets/raw.ts';
import { startForAll, TOKEN, tokensOf } from '../support.ts';
import { answered, guarded, guardedForAll, guarding, type Streaming, stream } from './support.ts';

const all = guardedForAll();

const PLAIN = 'The policy covers water damage. ';
const LONG = PLAIN.repeat(60);
const last = (open: Streaming) => open.events().at(-1);
/** Describes the last event: the action and cause of a decision, or the code of a problem. */
const ended = (open: Streaming): readonly unknown[] => {
  const { event, data } = last(open) ?? { event: 'none', data: {} };
  return [event, data.action ?? data.code, ...(data.unscanned === undefined ? [] : [data.unscanned])];
};
const event = (text: string) => `data: ${JSON.stringify({ text })}\n\n`;

/** Every released text was part of a text that had been scanned before. */
function expectScanned(open: Streaming): void {
  const scanned = all.service.scans.map(({ text }) => text);
  for (const { data } of open.events().filter((each) => each.event === '')) {
    expect(scanned.some((text) => text.includes(String(data.text)) || String(data.text).includes(text))).toBe(true);
  }
}

describe('A stream', () => {
  it.each([
    ['in pieces of one character', Array.from('The 👩‍👩‍👧 café costs 5 €.\r\n'.repeat(20))],
    ['with split surrogate pairs', ['a ', ...Array.from({ length: 100 }, () => ['\ud83d', '\ude00 b']).flat()]],
    ['with quotes, breaks and separators', ['"\n\r\u2028\u0000\\', "data: {}\n\nevent: end\n\n'"]],
    ['without any text', []],
  ])('%s is released unchanged, and ends with its decision', async (_title, pieces) => {
    const open = stream(all.server);
    for (const piece of pieces) open.say(piece);
    await open.end();
    expect(open.shown()).toBe(pieces.join(''));
    expect(ended(open)).toEqual(['decision', 'allow']);
    expect(last(open)?.data).not.toHaveProperty('text');
    expectScanned(open);
  });

  it('with half of a surrogate pair is blocked, because no scan would see it unchanged', async () => {
    const open = stream(all.server);
    open.say('a \ud83d b');
    await open.end();
    expect([open.shown(), ...ended(open)]).toEqual(['', 'decision', 'block', 'usage']);
  });

  it('is released while it arrives, and never before it was scanned', async () => {
    const open = await answered(stream(all.server));
    for (let at = 0; at < 30; at += 1) open.say(PLAIN);
    await until(() => open.shown() !== '');
    expect(open.events().some((each) => each.event === 'decision')).toBe(false);
    expectScanned(open);
    await open.end();
    expect(open.shown()).toBe(PLAIN.repeat(30));
    expect(open.text()).not.toMatch(/^id:/m);
  });

  it('is one request of the audit, with a start and an end of each scan', async () => {
    const auditFile = join(temporaryFolder('guarding'), 'audit.jsonl');
    const own = await guarded(all.service, { auditFile });
    const open = stream(own);
    open.say(`words of the audit. ${LONG}`);
    await open.end();
    await own.close();
    const text = readFileSync(auditFile, 'utf8');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (event: string) => lines.filter((line) => line['event'] === event);
    expect(of('request')).toMatchObject([{ route: '/v1/guard/stream', status: 200, caller: 'start' }]);
    expect(of('start').length).toBeGreaterThan(1);
    expect(of('end').length).toBe(of('start').length);
    expect(text).not.toContain('words of the audit');
  });

  it('sends its context with each scan', async () => {
    const open = stream(all.server, { query: 'profile=prod&session_id=of-stream&transaction_id=turn-9' });
    open.request.write('event: context\ndata: {"app_user":"ann","grounding":"the ground"}\n\n');
    open.say(`with context ${LONG}`);
    await open.end();
    const bodies = all.service.scans.map(({ body }) => body).filter((body) => body.includes('of-stream'));
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) expect(body).toMatch(/turn-9.*/s);
    for (const word of ['ann', 'the ground']) expect(bodies.every((body) => body.includes(word))).toBe(true);
  });
});

describe('A block in the middle of a stream', () => {
  it('ends the stream, and neither the blocked text nor any later text is released', async () => {
    const open = await answered(stream(all.server));
    for (let at = 0; at < 20; at += 1) open.say(PLAIN);
    await until(() => open.shown() !== '');
    open.say('this is BAD and secret ');
    for (let at = 0; at < 40 && open.events().at(-1)?.event !== 'decision'; at += 1) open.say(PLAIN);
    await open.end();
    expect(ended(open)).toEqual(['decision', 'block']);
    expect(open.text()).not.toMatch(/BAD|secret/);
    expect(PLAIN.repeat(20).startsWith(open.shown())).toBe(true);
  });

  it('is reported to a sender that continues without reading the end', async () => {
    const open = await answered(stream(all.server));
    open.say(`BAD ${LONG}`);
    await until(() => open.events().length > 0);
    open.say(LONG);
    await open.closed;
    expect(ended(open)).toEqual(['decision', 'block']);
    open.request.destroy();
  });
});

describe.each([
  ['block', undefined, ['decision', 'block', 'incomplete'], false],
  ['allow', { onError: 'allow', mask: [] }, ['decision', 'allow', 'incomplete'], true],
] as const)('If the operator has set %s, an error in mid-stream', (_set, guard, end, passes) => {
  const own = startForAll(() => guarding(all.service, { guard }));

  async function withFailure(word: string, query = 'profile=prod'): Promise<Streaming> {
    const open = await answered(stream(own, { query }));
    for (let at = 0; at < 20; at += 1) open.say(PLAIN);
    await until(() => open.shown() !== '');
    open.say(`then ${word} came. `);
    for (let at = 0; at < 20; at += 1) open.say(PLAIN);
    await open.end();
    return open;
  }

  it('is handled as configured, and the decision reports it', async () => {
    const open = await withFailure('HALF');
    expect(ended(open)).toEqual(end);
    expect(open.shown().includes('HALF')).toBe(passes);
  });

  it('blocks a caller that sets its own time limit', async () => {
    const open = await withFailure('HANG', 'profile=prod&timeout_ms=3000');
    expect(ended(open)).toEqual(['decision', 'block', 'timeout']);
    expect(open.shown()).not.toContain('HANG');
  });
});

describe('A mask in a stream', () => {
  it('is applied to the released text, and the decision has no text', async () => {
    const own = await guarded(all.service, { guard: { onError: 'block', mask: ['output'] } });
    const open = stream(own);
    open.say(`${PLAIN.repeat(10)}number CARD. ${PLAIN.repeat(10)}`);
    await open.end();
    expect(open.shown()).toBe(`${PLAIN.repeat(10)}number XXXX. ${PLAIN.repeat(10)}`);
    expect(ended(open)).toEqual(['decision', 'mask']);
    expect(last(open)?.data).not.toHaveProperty('text');
    const strict = stream(own, { query: 'profile=prod&mask=false' });
    strict.say('number CARD');
    await strict.end();
    expect([strict.shown(), ...ended(strict)]).toEqual(['', 'decision', 'block']);
  });
});

describe('An unreadable stream ends with a problem, and releases no more text:', () => {
  it.each<[string, string | Buffer, string]>([
    ['no JSON', 'data: unseen hello\n\n', 'arguments'],
    ['an event with an unknown name', 'event: unseen words\ndata: unseen words\n\n', 'arguments'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('data: {"text":"'), Buffer.from([0xff, 0xfe])]),
      'arguments',
    ],
    ['an event without an end', `data: ${'x'.repeat(1_000_001)}`, 'size'],
  ])('%s', async (_title, sent, code) => {
    const open = stream(all.server);
    open.say('unseen');
    open.request.end(sent);
    await open.closed;
    expect(ended(open)).toEqual(['problem', code]);
    expect(open.events().filter((each) => each.event === 'decision')).toEqual([]);
    expect(open.text().includes('unseen')).toBe(false);
  });

  it('more than 2 MB, of which only scanned text is released', async () => {
    const open = stream(all.server);
    open.request.end(event(`${'x'.repeat(899_000)} `).repeat(3));
    await open.closed;
    expect(ended(open)).toEqual(['problem', 'size']);
    expect(open.shown().length).toBeLessThan(1_800_002);
  });
});

describe('A stream is refused before it begins', () => {
  it.each<[string, string, object, number, string]>([
    ['as JSON', 'profile=prod', { 'content-type': 'application/json' }, 415, 'content-type'],
    ['without a profile', '', {}, 400, 'arguments'],
    ['with a misspelt parameter', 'profile=prod&onerror=allow', {}, 400, 'arguments'],
    ['with a personal name in its address', 'profile=prod&app_user=ann', {}, 400, 'arguments'],
    ['with a weaker override', 'profile=prod&on_error=allow', {}, 403, 'not-allowed'],
    ['with too many bytes', 'profile=prod', { 'content-length': 2_000_001 }, 413, 'size'],
    ['without a token', 'profile=prod', { authorization: 'Bearer none-of-the-tests' }, 401, 'token'],
  ])('%s', async (_title, query, headers, status, code) => {
    const open = stream(all.server, { query, headers });
    open.request.write('x');
    await open.closed;
    expect(open.status()).toBe(status);
    expect(JSON.parse(open.text())).toMatchObject({ code });
  });
});

describe('A client that leaves', () => {
  it('stops the scan, and frees its slot', async () => {
    const own = await guarded(all.service, { limits: { guardStreams: 1 } });
    const open = await answered(stream(own, { query: 'profile=prod&timeout_ms=30000' }));
    open.say(`HANG of a stream ${LONG}`);
    await until(() => all.service.scans.some(({ text }) => text.startsWith('HANG of a stream')));
    open.request.destroy();
    await until(() => all.service.left.some((text) => text.startsWith('HANG of a stream')));
    await until(async () => {
      const next = stream(own);
      next.say('hello');
      await next.end();
      return next.status() === 200 && next.shown() === 'hello';
    });
  });

  it('in the middle of an event does not complete the stream', async () => {
    const scans = all.service.scans.length;
    const open = await answered(stream(all.server));
    open.request.write('data: {"text":"cut off');
    open.request.destroy();
    await until(async () => /aisec_guard_streams 0\n/.test((await all.server.send('/metrics')).text));
    expect(all.service.scans.length).toBe(scans);
  });

  it('by closing its half of the connection ends the stream', async () => {
    const socket = await opened(all.server.port);
    const head = `POST /v1/guard/stream?profile=prod HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;
    socket.write(`${head}Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await received(socket, /: follow/);
    socket.end();
    await until(async () => /aisec_guard_streams 0\n/.test((await all.server.send('/metrics')).text));
    socket.destroy();
  });
});

describe('A slow sender', () => {
  it.each<[string, object, string]>([
    ['that sends nothing ends after the idle time', { guardIdleMs: 150 }, ''],
    ['that sends a byte at a time and no line ends after the idle time', { guardIdleMs: 150 }, 'x'],
    [
      'that keeps its stream open with comments ends after the total time',
      { guardIdleMs: 60_000, guardStreamMs: 300 },
      ': wait\n',
    ],
  ])('%s', async (_title, limits, drip) => {
    const own = await guarded(all.service, { limits });
    const open = await answered(stream(own));
    const timer = setInterval(() => drip !== '' && open.request.write(drip), 10);
    try {
      if (drip.startsWith(':')) open.request.write(event('never shown'));
      await until(() => open.events().length > 0);
      expect(ended(open)).toEqual(['problem', 'timeout']);
      expect(open.text()).not.toContain('never shown');
    } finally {
      clearInterval(timer);
      open.request.destroy();
    }
  });
});

describe('Two hundred streams', () => {
  it('of a token with twenty slots use all of them, keep their texts apart, and free the slots', async () => {
    const own = await guarded(all.service, { limits: { guardStreams: 20 } });
    const streams = Array.from({ length: 200 }, () => stream(own));
    await until(() => streams.every((open) => open.status() !== undefined));
    const [held, refused] = [200, 429].map((status) => streams.filter((open) => open.status() === status));
    expect([held?.length, refused?.length]).toEqual([20, 180]);
    await Promise.all((refused ?? []).map(({ closed }) => closed));
    expect(JSON.parse(refused?.[0]?.text() ?? '')).toMatchObject({ code: 'rate-limit', retryable: true });
    held?.forEach((open, at) => {
      for (let count = 0; count < 20; count += 1) open.say(`stream ${at} says this. `);
    });
    await Promise.all((held ?? []).map((open) => open.end()));
    expect((held ?? []).map((open) => open.shown())).toEqual(
      (held ?? []).map((_, at) => `stream ${at} says this. `.repeat(20)),
    );
    const next = stream(own);
    await next.end();
    expect(next.status()).toBe(200);
  });
});

describe('Rights', () => {
  it.each([
    ['is revoked', undefined, 'token'],
    ['may no longer scan', { role: 'read' }, 'not-allowed'],
  ] as const)('end a stream whose token %s while its sender is silent', async (_title, limits, code) => {
    const { tokensFile, file, as } = await tokensOf({ mine: 'operate' });
    const own = await guarded(all.service, { tokensFile });
    const open = await answered(stream(own, as('mine')));
    open.say('x');
    const tokens = limits === undefined ? [] : (await file.list()).map((entry) => ({ ...entry, ...limits }));
    writeFileSync(tokensFile, JSON.stringify({ tokens }), { mode: 0o600 });
    await until(() => open.events().length > 0);
    expect(ended(open)).toEqual(['problem', code]);
    open.request.destroy();
  });

  it('end a stream at the logout of its browser while its sender is silent', async () => {
    const own = await guarded(all.service);
    const asked = { method: 'POST', token: undefined, body: { token: TOKEN } };
    const [cookie = ''] = (await own.send('/login', asked)).headers['set-cookie'] ?? [];
    const headers = { 'x-aisec-page': '1', cookie };
    const open = await answered(stream(own, { headers: { ...headers, authorization: '' } }));
    open.say('x');
    await own.send('/logout', { ...asked, headers, body: {} });
    await until(() => open.events().length > 0);
    expect(ended(open)).toEqual(['problem', 'token']);
    open.request.destroy();
  });

  it('refuse a stream to a token that may not scan', async () => {
    const { tokensFile, as } = await tokensOf({ read: 'read', red: { role: 'admin', toolsets: ['red-team'] } });
    const own = await guarded(all.service, { tokensFile });
    for (const name of ['read', 'red'] as const) {
      const open = stream(own, as(name));
      await open.closed;
      expect([open.status(), JSON.parse(open.text()).code]).toEqual([403, 'not-allowed']);
    }
  });
});

describe('The end of the service', () => {
  it('lets a stream end within the grace time, and refuses new ones', async () => {
    const own = await guarded(all.service, { graceMs: 20_000 });
    const open = await answered(stream(own));
    open.say('hello');
    const closing = own.close();
    await open.end();
    expect([open.shown(), ...ended(open)]).toEqual(['hello', 'decision', 'allow']);
    await closing;
  });

  it('ends a stream after the grace time with a problem', async () => {
    const own = await guarded(all.service, { graceMs: 50 });
    const open = await answered(stream(own));
    open.say('never shown');
    await own.close();
    await open.closed;
    expect(ended(open)).toEqual(['problem', 'stopping']);
    expect(open.text()).not.toContain('never shown');
  });
});
