import { acquire, claimOn, type LockFiles } from '../../../lib/node/files/acquire-lock.ts';
import { shareOf } from '../../support/runs.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const LOCK = 'work.lock';
const ROUNDS = shareOf(1000);
const CONTENDERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
/** Probability, in percent, that a contender's step is its last. */
const DEADLY = 2;

/** A number from 0 up to but not including 1; the same seed gives the same sequence. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Step {
  readonly who: string;
  run(): void;
}

/** A directory and processes whose steps interleave in any order. */
function contest(seed: number, mortal: boolean) {
  const next = random(seed);
  const names = new Map<string, string>();
  const dead = new Set(['an earlier process', 'an earlier contender', 'another one']);
  const waiting: Step[] = [];

  const step = <Value>(who: string, act: () => Value) =>
    new Promise<Value>((resolve) => void waiting.push({ who, run: () => resolve(act()) }));

  const filesOf = (who: string): LockFiles => ({
    create: (path) =>
      step(who, () => {
        if (names.has(path)) return false;
        names.set(path, who);
        return true;
      }),
    read: (path) => step(who, () => names.get(path)),
    isOwnerAlive: (_, text) => step(who, () => !dead.has(text)),
    replace: (path, other) =>
      step(who, () => {
        if (names.get(path) !== who) throw new Error(`${who} moved the file of ${names.get(path)}`);
        names.delete(path);
        names.set(other, who);
      }),
    remove: (path) =>
      step(who, () => {
        if (names.get(path) !== who) throw new Error(`${who} removed the file of ${names.get(path)}`);
        names.delete(path);
      }),
    wait: () => step(who, () => undefined),
  });

  /** Runs one step of one process, or kills it before the step. */
  const go = () => {
    const [chosen] = waiting.splice(Math.floor(next() * waiting.length), 1);
    if (chosen === undefined) return;
    if (mortal && next() * 100 < DEADLY) dead.add(chosen.who);
    else chosen.run();
  };
  return { names, dead, filesOf, go, steps: () => waiting.length };
}

/** Lets all processes contend until each has an outcome or is dead. @returns the living processes that got the lock */
async function contend(seed: number, mortal: boolean) {
  const left = LEFT[seed % LEFT.length] ?? [];
  const { names, dead, filesOf, go, steps } = contest(seed, mortal);
  for (const [name, text] of left) names.set(name, text);
  const won: string[] = [];
  for (const who of CONTENDERS) {
    void acquire(LOCK, filesOf(who)).then((isMine) => {
      if (isMine) won.push(who);
    });
  }
  for (;;) {
    // Let the work started by a step reach its next step.
    await new Promise(setImmediate);
    if (steps() === 0) break;
    go();
    const owners = won.filter((who) => !dead.has(who));
    if (owners.length > 1) throw new Error(`seed ${seed}: ${owners.join(' and ')} have the lock`);
  }
  const owners = won.filter((who) => !dead.has(who));
  return { owners, survivors: CONTENDERS.filter((who) => !dead.has(who)).length, names };
}

type File = readonly [name: string, text: string];
const STALE: File = [LOCK, 'an earlier process'];
const CLAIM: File = [claimOn('an earlier process', LOCK), 'an earlier contender'];
const CLAIM_ON_CLAIM: File = [claimOn('an earlier contender', LOCK), 'another one'];
/** States left by earlier processes: nothing, a lock, and a lock whose takeover died, once and twice. */
const LEFT: readonly (readonly File[])[] = [[], [STALE], [STALE, CLAIM], [STALE, CLAIM, CLAIM_ON_CLAIM]];

describe('eight contenders for a lock', () => {
  scenario(
    ['lock-owner', 'two-writers'],
    `have exactly one owner, in ${ROUNDS} rounds of steps in any order, whatever earlier processes left`,
    async () => {
      for (let seed = 0; seed < ROUNDS; seed += 1) {
        const { owners, names } = await contend(seed, false);
        const expected = { seed, owners: 1, names: [[LOCK, owners[0]]] };
        expect({ seed, owners: owners.length, names: [...names] }).toEqual(expected);
      }
    },
  );

  scenario(
    ['lock-owner', 'two-writers'],
    `never have two owners, in ${ROUNDS} rounds in which each may die at every step`,
    async () => {
      let deaths = 0;
      for (let seed = 0; seed < ROUNDS; seed += 1) deaths += CONTENDERS.length - (await contend(seed, true)).survivors;
      expect(deaths).toBeGreaterThan(ROUNDS / 2);
    },
  );
});
