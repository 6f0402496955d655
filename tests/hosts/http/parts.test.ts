/** Small parts: what one token may hold, readiness, security headers, turns, signals, allow lists and planes. */

import { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { allows } from '../../../lib/client/allow.ts';
import { newSignal } from '../../../lib/client/stop.ts';
import { MAX_DEPTH } from '../../../lib/core/json.ts';
import type { Settings } from '../../../lib/core/parameters.ts';
import { SECURE_HEADERS } from '../../../lib/hosts/http/app.ts';
import { limited } from '../../../lib/hosts/http/body.ts';
import { Streams } from '../../../lib/hosts/http/events/streams.ts';
import { Metrics, planeOf } from '../../../lib/hosts/http/metrics.ts';
import { Idempotency } from '../../../lib/hosts/http/responses/idempotency.ts';
import { type ReadinessParts, readinessOf } from '../../../lib/hosts/http/routes/service.ts';
import { Sessions } from '../../../lib/hosts/http/sessions/sessions.ts';
import { newTurns } from '../../../lib/hosts/http/turns.ts';
import { catalogueEntry } from '../../../lib/manifest/command-catalogue.ts';
import { fileShelf } from '../../../lib/node/files/file-shelf.ts';
import { Quota } from '../../../lib/runs/quota.ts';
import { commandOf } from '../../support/declared.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { startForAll } from './support.ts';

describe('The headers for browsers', () => {
  describe('of a server', () => {
    const server = startForAll();

    it.each([
      ['an answer', '/healthz'],
      ['a refusal', '/v1/commands'],
      ['an unknown route', '/nowhere'],
    ])('are sent with %s', async (_what, path) => {
      const { headers } = await fetch(`${server.url}${path}`);
      expect(SECURE_HEADERS).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
      const csp = "default-src 'none';frame-ancestors 'none'";
      const expected = { ...SECURE_HEADERS, 'content-security-policy': csp, 'strict-transport-security': null };
      const found = Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]));
      expect(found).toEqual(expected);
    });

    it.each([
      ['small', 20],
      ['large', 20_000],
    ])('do not change what a %s body may contain', async (_size, padding) => {
      const deep = `{"topic_name":${'['.repeat(MAX_DEPTH + 1)}${']'.repeat(MAX_DEPTH + 1)},"description":"${'x'.repeat(padding)}"}`;
      const path = '/v1/commands/aisec-runtime-topics-create?dry_run=true';
      const { status, text } = await server.send(path, { method: 'POST', body: deep });
      expect([status, text]).toEqual([400, expect.stringContaining(`deeper than ${MAX_DEPTH} levels`)]);
    });
  });
});

describe('A signal', () => {
  it('notifies every listener once, and no removed listener', () => {
    const { signal, abort } = newSignal();
    const heard: string[] = [];
    const [one, two, gone] = ['one', 'two', 'gone'].map((name) => () => void heard.push(name));
    for (const listener of [one, two, gone, one]) signal.addEventListener('abort', listener as () => void);
    signal.removeEventListener('abort', gone as () => void);
    signal.removeEventListener('abort', () => undefined);
    expect(signal.aborted).toBe(false);
    abort();
    abort();
    expect([heard, signal.aborted]).toEqual([['one', 'two'], true]);
  });
});

describe('The names of an allow list', () => {
  it.each([
    [['aisec-runtime-scan'], true],
    [['!aisec-runtime-scan'], true],
    [['aisec-runtime-topics-list', 'aisec-runtime-*'], true],
    [['aisec-runtime-sca'], false],
    [['aisec-redteam-*', 'x*'], false],
    [[], false],
  ])('%p: %p', (commands, expected) => {
    const command = { name: 'aisec-runtime-scan', effect: 'run' } as const;
    // The second call uses the cached value.
    expect([allows({ commands }, command), allows({ commands }, command)]).toEqual([expected, expected]);
  });
});

describe('The plane of an address', () => {
  const settings = {
    url: 'https://api.example.com/aisec/',
    runtime_url: 'https://service.example.com',
    token_url: 'https://auth.example.com/token',
  } as unknown as Settings;

  it.each([
    ['https://auth.example.com/token?x', 'token'],
    ['https://elsewhere.example.com/v1', 'other'],
  ])('%s belongs to %s', (url, plane) => {
    expect([planeOf(url, settings), planeOf(url, settings)]).toEqual([plane, plane]);
  });
});

describe('turns', () => {
  /** Turns whose rounds the test starts. */
  function turnsOf(mostInRound: number) {
    const rounds: (() => void)[] = [];
    const started: number[] = [];
    const atItsTurn = newTurns(mostInRound, (next) => void rounds.push(next));
    return { ask: (name: number) => atItsTurn(() => void started.push(name)), started, rounds };
  }

  describe('Requests', () => {
    it('start at once while a round has room, otherwise in later rounds', () => {
      const { ask, started, rounds } = turnsOf(2);
      for (const name of [1, 2, 3, 4, 5]) ask(name);
      expect([started, rounds.length]).toEqual([[1, 2], 1]);
      rounds.shift()?.();
      expect([started, rounds.length]).toEqual([[1, 2, 3, 4], 1]);
      ask(6);
      rounds.shift()?.();
      expect(started).toEqual([1, 2, 3, 4, 5, 6]);
      rounds.shift()?.();
      expect(rounds).toEqual([]);
      ask(7);
      expect(started).toEqual([1, 2, 3, 4, 5, 6, 7]);
    });

    it('all start once, in order, and within the limit of a round', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.boolean(), { maxLength: 60 }), (most, steps) => {
          const { ask, started, rounds } = turnsOf(most);
          let asked = 0;
          let before = 0;
          for (const isRequest of steps) {
            if (isRequest) {
              asked += 1;
              ask(asked);
            } else {
              before = started.length;
              rounds.shift()?.();
              expect(started.length - before).toBeLessThanOrEqual(most);
            }
          }
          while (rounds.length > 0) rounds.shift()?.();
          expect(started).toEqual(Array.from({ length: asked }, (_, at) => at + 1));
        }),
      );
    });
  });
});

scenario(
  'fair-memory',
  'sessions of one token leave room for sessions of another token, and return their room when they close',
  async () => {
    const sessions = new Sessions({ catalogue: [], clock: { now: () => 0, elapsed: () => 0 } });
    const client = { session: () => ({ context: {} }) } as unknown as Parameters<typeof sessions.open>[1];
    const [mine, other] = [sessions.open('a/t', client), sessions.open('b/t', client)];
    const result = { text: 'x'.repeat(26_000_000) } as never;
    for (let count = 0; count < 2; count += 1) mine.begin({ line: '!a' }).end({ result });
    expect(() => mine.checkRoom()).toThrow('The sessions of this token have reached their limit of 50 MB.');
    other.checkRoom();
    const second = sessions.open('a/t', client);
    expect(() => second.checkRoom()).toThrow('of this token');
    sessions.close('a/t', mine.id);
    second.checkRoom();
    // A line that ends after its session was closed does not hold its slot forever.
    mine.begin({ line: '!a' }).end({ result });
    mine.begin({ line: '!a' }).end({ result });
    second.checkRoom();
  },
);

scenario(
  'fair-memory',
  'a file is refused at the first byte beyond the limit of its token, or of any file',
  async () => {
    const quota = new Quota({ noun: 'files', own: 10, tenant: 100, hint: 'Delete some.' });
    const sent = Readable.from([Buffer.alloc(6), Buffer.alloc(6)]);
    const take = (bytes: number) => quota.take('a/t', bytes);
    await expect(pipeline(sent, limited(1000, take), async (rest) => void (await readAll(rest)))).rejects.toMatchObject(
      {
        code: 'quota',
      },
    );
    const long = Readable.from([Buffer.alloc(6), Buffer.alloc(6)]);
    await expect(pipeline(long, limited(11), async (rest) => void (await readAll(rest)))).rejects.toMatchObject({
      ...{ statusCode: 413, code: 'size' },
    });
  },
);

scenario('fair-memory', 'files of a token evict only files of the same token', () => {
  const sums: Record<string, number> = {};
  const shelf = fileShelf(2, (owner, bytes) => {
    sums[owner] = (sums[owner] ?? 0) + bytes;
  });
  const add = (name: string, owner: string) =>
    shelf.add({ entry: name, name, size: 10, contentType: 'text/plain' }, owner);
  const mine = add('mine', 'a/t');
  for (let count = 0; count < 5; count += 1) add(`${count}`, 'b/t');
  expect(shelf.find(mine.id, 'a/t')).toBe(mine);
  expect(shelf.list('b/t').map(({ name }) => name)).toEqual(['3', '4']);
  shelf.remove(mine.id);
  expect(sums).toEqual({ 'a/t': 0, 'b/t': 20 });
});

scenario('fair-memory', 'keys of one token never evict keys of another token', async () => {
  const keys = new Idempotency({ elapsed: () => 0 });
  const answer = { status: 200, headers: {}, body: '{}', forget: false };
  await keys.once('a/t', 'k', 'POST /a', async () => answer);
  for (let count = 0; count < 10_001; count += 1) await keys.once('b/t', `k${count}`, 'POST /a', async () => answer);
  expect((await keys.once('a/t', 'k', 'POST /a', async () => answer)).replayed).toBe(true);
});

describe('A session', () => {
  const command = commandOf('aisec-runtime-topics-list');
  const opened = (context: object) => {
    const sessions = new Sessions({ catalogue: [catalogueEntry(command)], clock: { now: () => 0, elapsed: () => 0 } });
    return sessions.open('a/t', { session: () => ({ context }) } as unknown as Parameters<typeof sessions.open>[1]);
  };

  it('accepts no line beyond 10 MB of context', () => {
    const context = { text: '' };
    const session = opened(context);
    session.begin({ line: '!a' }).end({});
    session.checkRoom();
    context.text = 'x'.repeat(10_000_000);
    session.begin({ line: '!a' }).end({});
    expect(() => session.checkRoom()).toThrow(expect.objectContaining({ statusCode: 409, code: 'context-size' }));
  });

  it('is refused to a token that may not run every command whose result the session contains', () => {
    const session = opened({});
    const none = { allow: { commands: [] } };
    session.checkRights(none);
    session.begin({ line: '!a', command }).end({ result: {} });
    session.checkRights({});
    expect(() => session.checkRights(none)).toThrow(expect.objectContaining({ code: 'not-allowed' }));
  });
});

test('streams of events have a limit for each token', () => {
  const streams = new Streams(2);
  const [first] = [streams.enter('a'), streams.enter('a')];
  expect([streams.enter('a'), streams.count()]).toEqual([undefined, 2]);
  expect(streams.enter('b')).toBeDefined();
  first?.();
  expect(streams.enter('a')).toBeDefined();
});

test.each<[string, string | undefined, object, string | undefined]>([
  ['when a required plane fails', undefined, { state: 'failed', required: true }, 'not ready: management'],
  ['unless a plane is required', undefined, { state: 'failed', required: false }, undefined],
  ['unless a plane fails', undefined, { state: 'ok', required: true }, undefined],
  ['without its queue', 'queue', { state: 'ok', required: true }, 'not ready: queue'],
])('a service is not ready %s', async (_, problem, plane, expected) => {
  const client = { check: async () => [{ plane: 'management', ...plane }] };
  const tenants = { opened: () => new Map([['', { client }]]) } as unknown as ReadinessParts['tenants'];
  const ready = readinessOf({ tenants, runs: { problem: async () => problem }, clock: { elapsed: () => 0 } });
  expect(await ready()).toBe(expected);
});

test('a detector that the service does not name counts as other', async () => {
  const metrics = new Metrics({ elapsed: () => 0 });
  const verdict = { detectors: ['injection', 'unheard_of', 'x'] };
  metrics.decided({ kind: 'input', action: 'block', verdict, ms: 1 } as unknown as Parameters<Metrics['decided']>[0]);
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('aisec_guard_detections_total'));
  expect(lines).toEqual(
    ['injection', 'other'].map(
      (name) => `aisec_guard_detections_total{kind="input",action="block",detector="${name}"} 1`,
    ),
  );
});
