/** The turns of requests: a few start in each round of the event loop, in their order. */
import fc from 'fast-check';
import { newTurns } from '../../../lib/hosts/http/turns.ts';
import { type Server, start } from './support.ts';

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

  it('that wait are served before requests that arrive during their round', () => {
    const { ask, started, rounds } = turnsOf(1);
    ask(1);
    ask(2);
    rounds.shift()?.();
    ask(3);
    expect(started).toEqual([1, 2]);
    rounds.shift()?.();
    expect(started).toEqual([1, 2, 3]);
  });

  it('that start another request do not exceed the round', () => {
    const rounds: (() => void)[] = [];
    const started: string[] = [];
    const atItsTurn = newTurns(1, (next) => void rounds.push(next));
    atItsTurn(() => {
      started.push('outer');
      atItsTurn(() => void started.push('inner'));
    });
    expect(started).toEqual(['outer']);
    rounds.shift()?.();
    expect(started).toEqual(['outer', 'inner']);
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

describe('A service whose clients are busy', () => {
  let server: Server;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());

  it('answers a hundred concurrent requests and the probes', async () => {
    const scan = () => server.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'hello' });
    const [probe, ...answers] = await Promise.all([
      server.send('/healthz', { token: undefined }),
      ...Array.from({ length: 100 }, scan),
    ]);
    expect([probe.status, new Set(answers.map(({ status }) => status))]).toEqual([200, new Set([200])]);
  });
});
