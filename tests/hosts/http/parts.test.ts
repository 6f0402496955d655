/** Small parts: security headers, turns, signals, allow lists and planes. */

import fc from 'fast-check';
import { allows } from '../../../lib/client/allow.ts';
import { newSignal } from '../../../lib/client/stop.ts';
import { MAX_DEPTH } from '../../../lib/core/json.ts';
import type { Settings } from '../../../lib/core/parameters.ts';
import { SECURE_HEADERS } from '../../../lib/hosts/http/app.ts';
import { planeOf } from '../../../lib/hosts/http/metrics.ts';
import { newTurns } from '../../../lib/hosts/http/turns.ts';
import { type Server, start } from './support.ts';

describe('The headers for browsers', () => {
  it('forbid frames, scripts and content sniffing', () => {
    expect(SECURE_HEADERS).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
  });

  describe('of a server', () => {
    let server: Server;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.close());

    it.each([
      ['an answer', '/healthz'],
      ['a refusal', '/v1/commands'],
      ['an unknown route', '/nowhere'],
    ])('are sent with %s', async (_what, path) => {
      const { headers } = await fetch(`${server.url}${path}`);
      const expected = { ...SECURE_HEADERS, 'strict-transport-security': null };
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
  ])('%s is that of %s', (url, plane) => {
    expect([planeOf(url, settings), planeOf(url, settings)]).toEqual([plane, plane]);
  });
});

describe('turns', () => {
  /** Turns whose rounds the test begins. */
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
