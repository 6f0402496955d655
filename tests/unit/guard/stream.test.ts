/** The guard's streams: what is released, when, and where a text may be split. */

import fc from 'fast-check';
import { NetworkError } from '../../../lib/core/errors.ts';
import { createGuard, type Decision, type Scanner, type Windows } from '../../../lib/guard/guard.ts';
import {
  boundaryBefore,
  cutBefore,
  pairBoundary,
  type StreamSizes,
  WindowedStream,
} from '../../../lib/guard/stream.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { scripted, verdictOf } from './scripted.ts';

test.each<[string, string, number, number]>([
  ['at nearby white space', `${'a'.repeat(10)} ${'b'.repeat(41)}`, 50, 11],
  ['not at distant white space', `${'a'.repeat(10)} ${'b'.repeat(41)}`, 51, 51],
  ['not after its last character, which may still grow', 'ab', 9, 1],
  ['not inside a character', 'aae\u0301', 3, 2],
  ['not before an accent on white space', 'aa \u0301', 3, 2],
  ['nowhere in a single character', 'a\u0301', 1, 0],
  ['nowhere in nothing', '', 5, 0],
  ['nowhere before its start', 'abc', -1, 0],
])('a text is split %s', (_, text, wished, place) => {
  expect(boundaryBefore(text, wished)).toBe(place);
});

test.each<[string, string, string, number, number]>([
  ['as it is', 'one two', 'one two', 4, 4],
  ['after a mask of another length', '1234 aaaa aaaa', 'X aaaa aaaa', 12, 10],
  ['after a mask that ends as the original', '1111 bbbb bbbb', 'XXX1 bbbb bbbb', 10, 10],
  ['not right after such a mask', '1111 bbbbbb', 'XXX1 bbbbbb', 5, 0],
  ['not before a mask', 'aaaa bbbb 1234', 'aaaa bbbb X', 5, 0],
])('a masked text is split %s', (_, text, shown, wished, place) => {
  expect(cutBefore(text, shown, wished)).toBe(place);
});

test.each([
  [1, 2],
  [2, 2],
  [3, 3],
])('a window of %d characters that begins with a surrogate pair takes %d', (wished, taken) => {
  expect(pairBoundary('😀abc', wished)).toBe(taken);
});

/** Sends chunks, each after the previous one was handled. */
async function sent(chunks: readonly string[], options: Parameters<typeof scripted>[0] = {}) {
  const { guard, asked } = scripted({ cache: false, ...options });
  const stream = guard.stream();
  const released: string[] = [];
  for (const chunk of chunks) released.push(await stream.push(chunk));
  released.push(await stream.end());
  return { text: released.join(''), released, asked, stream };
}

/** Splits a text at the given positions. */
function chunksOf(text: string, places: readonly number[]): string[] {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((one, other) => one - other);
  return [...cuts, text.length].map((cut, at) => text.slice(cuts[at - 1] ?? 0, cut));
}

const pieces = fc.constantFrom('a', ' ', 'word ', '\n', 'é', 'e\u0301', '👩‍👩‍👧', '🇩🇪', '\u0301', '😀', 'ß', '한');
const texts = fc.array(pieces, { maxLength: 400 }).map((parts) => parts.join(''));
const places = fc.array(fc.nat(), { maxLength: 40 });
/** Windows, including windows smaller than a word. */
const windowsWith = (minOverlap: number): fc.Arbitrary<Windows | 'all'> =>
  fc.oneof(
    fc.constant('all' as const),
    fc.record({
      first: fc.integer({ min: 1, max: 50 }),
      max: fc.integer({ min: 50, max: 200 }),
      overlap: fc.integer({ min: minOverlap, max: 40 }),
    }),
  );

describe('a stream', () => {
  scenario('guard-stream', 'releases an allowed text unchanged, for every chunking and every window', async () => {
    await fc.assert(
      fc.asyncProperty(texts, places, windowsWith(0), async (text, cuts, stream) => {
        const { text: released, asked } = await sent(chunksOf(text, cuts), { stream });
        expect(released).toBe(text);
        expect(asked.every((scan) => text.includes(scan.text))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test.each([1, 20, 80])('scans all of an overlap of %d characters again, and holds it until then', async (overlap) => {
    const text = '0123456789'.repeat(40);
    const { released, asked } = await sent([text.slice(0, 101), text.slice(101)], {
      stream: { first: 100, max: 100, overlap },
    });
    expect(asked[0]?.text).toBe(text.slice(0, 100));
    expect(released[0]).toBe(text.slice(0, 100 - overlap));
    expect(asked[1]?.text.startsWith(text.slice(100 - overlap, 101))).toBe(true);
  });

  scenario('guard-stream', 'shows no part of a threat that is no longer than the overlap', async () => {
    await fc.assert(
      fc.asyncProperty(texts, texts, places, windowsWith('BAD'.length), async (before, after, cuts, stream) => {
        const { text, stream: held } = await sent(chunksOf(`${before}BAD${after}`, cuts), { stream });
        expect(held.blocked).toBe(true);
        expect(`${before}BAD${after}`.startsWith(text)).toBe(true);
        expect(text).not.toContain('B');
      }),
      { numRuns: 200 },
    );
  });

  scenario('guard-stream', 'releases only whole characters', async () => {
    await fc.assert(
      fc.asyncProperty(texts, places, async (text, cuts) => {
        const { released } = await sent(chunksOf(text, cuts), { stream: { first: 5, max: 20, overlap: 8 } });
        const starts = new Set([...new Intl.Segmenter().segment(text)].map(({ index }) => index));
        let at = 0;
        for (const part of released) {
          at += part.length;
          expect(at === text.length || starts.has(at)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  scenario('guard-stream', 'releases nothing after a block', async () => {
    const { guard } = scripted({ stream: { first: 4, max: 4, overlap: 0 } });
    const stream = guard.stream();
    expect(await stream.push('BAD BAD ')).toBe('');
    expect(await stream.push('good words')).toBe('');
    expect(await stream.end()).toBe('');
    expect(stream.decision).toMatchObject({ action: 'block' });
  });

  scenario(
    'guard-stream',
    'accepts a megabyte in one chunk, and scans each part once except for the overlaps',
    async () => {
      const text = 'word '.repeat(200_000);
      const { text: released, asked } = await sent([text]);
      expect(released).toBe(text);
      const scanned = asked.reduce((sum, scan) => sum + scan.text.length, 0);
      expect(scanned / text.length).toBeLessThan(1.1);
      expect(Math.max(...asked.map((scan) => scan.text.length))).toBeLessThanOrEqual(1700);
    },
  );

  scenario('guard-stream', 'holds a text without a boundary to its end, if it fits into one scan', async () => {
    const of = (length: number) => `a${'\u0301'.repeat(length - 1)}`;
    const { released, asked } = await sent([of(20_000)]);
    expect(released).toEqual(['', of(20_000)]);
    expect(asked.reduce((sum, scan) => sum + scan.text.length, 0)).toBeLessThan(20_000 * 3);
    const { text, stream } = await sent([of(50_000)]);
    expect([text, stream.decision]).toMatchObject(['', { action: 'block', unscanned: 'incomplete' }]);
  });

  scenario('guard-errors', 'marks a stream as unscanned when one of its windows was', async () => {
    let calls = 0;
    const { guard } = scripted({ onError: 'allow', cache: false }, (text, kind) => {
      calls += 1;
      if (calls === 2) throw new NetworkError('away');
      return verdictOf(text, kind);
    });
    const stream = guard.stream();
    const released = [await stream.push('word '.repeat(500)), await stream.end()];
    expect(released.join('')).toBe('word '.repeat(500));
    expect(calls).toBeGreaterThan(2);
    expect(stream.decision).toMatchObject({ action: 'allow', unscanned: 'network' });
  });

  scenario('guard-stream', 'scans nothing for empty chunks, and nothing for an empty stream', async () => {
    expect((await sent(['', '', ''])).asked).toEqual([]);
    expect((await sent([])).asked).toEqual([]);
  });

  scenario('guard-stream', 'waits for the decision about the prompt', async () => {
    const { guard } = scripted();
    const blocked: Decision = { kind: 'input', action: 'block', ms: 1, cached: false };
    const stream = guard.stream({}, { input: Promise.resolve(blocked) });
    expect(await stream.push('word '.repeat(100))).toBe('');
    expect(await stream.end()).toBe('');
    expect(stream.decision).toBe(blocked);
  });

  test.each(['block', 'allow'] as const)(
    'that is empty reports the prompt only if the prompt is blocked: %s',
    async (action) => {
      const input: Decision = { kind: 'input', action, ms: 1, cached: false };
      const stream = scripted().guard.stream({}, { input: Promise.resolve(input) });
      expect(await stream.end()).toBe('');
      expect([stream.decision, stream.blocked]).toEqual(action === 'block' ? [input, true] : [undefined, false]);
    },
  );

  test('scans a window that is exactly full, and only then waits for the prompt', async () => {
    const { guard, asked } = scripted({ stream: { first: 4, max: 4, overlap: 0 } });
    await guard.stream().push('abcd');
    // An accent may follow the last character.
    expect(asked.map(({ text }) => text)).toEqual(['abc']);
    const waiting = guard.stream({}, { input: new Promise<never>(() => undefined) });
    expect(await waiting.push('abc')).toBe('');
  });

  test('that has ended accepts no more text', async () => {
    const { stream, asked } = await sent(['one two']);
    expect([await stream.push('three'), await stream.end(), asked.length]).toEqual(['', '', 1]);
  });

  test('that is held as a whole shows nothing before its end', async () => {
    const { released } = await sent(['word '.repeat(5000), 'end'], { stream: 'all' });
    expect(released).toEqual(['', '', `${'word '.repeat(5000)}end`]);
  });

  test('keeps the verdict of a block after a waiting mask', async () => {
    const { guard } = scripted({ mask: { output: true } });
    const stream = guard.stream();
    expect(await stream.push(`${'ab '.repeat(55)}4111 1111 1111 1111 and the end of it`)).toBe('');
    expect(await stream.push('BAD '.repeat(120))).toBe('');
    expect(stream.decision).toMatchObject({ action: 'block', verdict: { detectors: ['injection', 'dlp'] } });
    expect(stream.decision).not.toHaveProperty('unscanned');
  });
});

describe('cost', () => {
  scenario('guard-cost', 'with the default windows, less than 1.3 times the text is scanned', async () => {
    const text = 'word '.repeat(480);
    const { asked } = await sent(text.match(/.{1,4}/gsu) ?? []);
    const scanned = asked.reduce((sum, scan) => sum + scan.text.length, 0);
    expect(scanned / text.length).toBeLessThan(1.3);
  });
});

describe('a stream with masking', () => {
  const LEAK = '4111 1111 1111 1111';
  const masked = (text: string) => text.replaceAll(LEAK, 'XXXX XXXX XXXX XXXX');

  test('masks for every chunking and every window as long as the overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300), fc.nat(300), places, async (before, after, cuts) => {
        const text = `${'ab '.repeat(before)}${LEAK}${' cd'.repeat(after)}`;
        const options = { mask: { output: true }, stream: { first: 40, max: 100, overlap: 30 } };
        expect((await sent(chunksOf(text, cuts), options)).text).toBe(masked(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a stream with masks of any length', () => {
  const CARD = '4111 1111 1111 1111';
  /** Streams a text to a service with this mask. */
  async function masking(
    text: string,
    mask: string | ((card: string) => string),
    cuts: readonly number[] = [],
    options = {},
  ) {
    const { guard, asked } = scripted({ cache: false, mask: { output: true }, ...options }, (part, kind) =>
      verdictOf(part, kind, mask),
    );
    const stream = guard.stream();
    const released: string[] = [];
    for (const chunk of chunksOf(text, cuts)) released.push(await stream.push(chunk));
    const early = released.join('');
    released.push(await stream.end());
    const scanned = asked.reduce((sum, scan) => sum + scan.text.length, 0);
    return {
      text: released.join(''),
      early,
      scanned,
      stream,
      longest: Math.max(...asked.map((scan) => scan.text.length)),
    };
  }

  const masks = fc.constantFrom(
    '',
    '*',
    '[CARD]',
    'XXXX XXXX XXXX XXXX',
    '[this card number was removed]',
    '4111 11XX XXXX 1111',
    '**** 1111',
  );
  const gaps = fc.array(fc.tuple(fc.constantFrom('ab ', 'paid ', '\n', '한 ', '😀'), fc.nat(120)), { maxLength: 40 });
  /** Texts with a card number after each gap. */
  const tables = gaps.map((rows) => rows.map(([word, times], at) => `${at} ${word.repeat(times)}`));

  scenario('guard-stream', 'is masked like the whole text, or blocked, and never shows what a mask hides', async () => {
    await fc.assert(
      fc.asyncProperty(tables, masks, places, async (rows, mask, cuts) => {
        const { text, stream } = await masking(rows.join(`${CARD} `), mask, cuts);
        const whole = rows.join(`${mask} `);
        if (stream.blocked) expect(whole.startsWith(text)).toBe(true);
        else expect(text).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });

  scenario('guard-cost', 'scans at most twice what it streams, and no text above the limit', async () => {
    await fc.assert(
      fc.asyncProperty(tables, masks, fc.integer({ min: 1, max: 30 }), async (rows, mask, times) => {
        const text = `${rows.join(`${CARD} `)}${CARD}`.repeat(times);
        const { scanned, longest } = await masking(text, mask);
        expect(scanned).toBeLessThanOrEqual(2 * text.length + 20_000);
        expect(longest).toBeLessThanOrEqual(20_000);
      }),
      { numRuns: 100 },
    );
  });

  test.each([['[CARD]'], [''], ['XXXX XXXX XXXX XXXX'], ['4111 11XX XXXX 1111']])(
    'continues after a mask: %j',
    async (mask) => {
      const of = (card: string) =>
        Array.from({ length: 60 }, (_, at) => `Customer ${at}, card ${card}${', paid'.repeat(300)}.\n`).join('');
      const { text, early, stream, scanned } = await masking(of(CARD), mask);
      expect(stream.blocked).toBe(false);
      expect(text).toBe(of(mask));
      expect(early.length).toBeGreaterThan(of(mask).length - 5000);
      expect(scanned).toBeLessThan(of(CARD).length * 1.3);
    },
  );

  test('waits for its end if masked places are ambiguous, and is masked there', async () => {
    const text = `${CARD} `.repeat(400);
    const result = await masking(text, '*');
    expect(result.text).toBe('* '.repeat(400));
    expect(result.scanned).toBeLessThan(text.length * 2.5);
  });

  test('is blocked if masked places are ambiguous in more text than fits into one scan', async () => {
    const { text, stream } = await masking(`${CARD} `.repeat(5000), '*');
    expect(text).toMatch(/^[* ]*$/u);
    expect(stream.decision).toMatchObject({ action: 'block', unscanned: 'incomplete' });
  });

  test.each([
    ['block', NetworkError],
    ['allow', NetworkError],
  ] as const)('keeps a place masked when the next scan fails, with onError %s', async (onError, Failure) => {
    let calls = 0;
    const { guard } = scripted({ onError, cache: false, mask: { output: true } }, (text, kind) => {
      calls += 1;
      if (calls > 1) throw new Failure('away');
      return verdictOf(text, kind);
    });
    const stream = guard.stream();
    const first = await stream.push(`${'ab '.repeat(55)}${CARD} and the end of it`);
    const rest = `${await stream.push(' cd'.repeat(300))}${await stream.end()}`;
    expect(calls).toBe(2);
    expect(`${first}${rest}`).not.toMatch(/\d/u);
    expect(stream.decision).toMatchObject({ action: 'block', unscanned: 'network' });
  });

  test('is blocked if a masked place is no longer masked with more text after it', async () => {
    const { guard } = scripted({ cache: false, mask: { output: true } }, (text, kind) =>
      text.includes('harmless') ? verdictOf('harmless', kind) : verdictOf(text, kind),
    );
    const stream = guard.stream();
    const shown = [
      await stream.push(`${'ab '.repeat(55)}${CARD} and the end of it`),
      await stream.push('harmless '.repeat(100)),
    ];
    shown.push(await stream.end());
    expect(shown.join('')).not.toMatch(/\d/u);
    expect(stream.blocked).toBe(true);
  });
});

test('a stream of windows of one character ends for every text', async () => {
  for (const text of ['😀', '\udc00\udc00\udc00', '\ud800', 'a😀😀', '👩‍👩‍👧', '😀b']) {
    const { text: released, asked } = await sent([text], { stream: { first: 1, max: 1, overlap: 0 } });
    expect(released).toBe(text);
    // No scan has half of a character that is complete in the text.
    if (/[a-z👩]/u.test(text)) expect(asked.map((scan) => scan.text).join('')).not.toMatch(/\p{Surrogate}/u);
  }
});

describe('a text that cannot be split', () => {
  const GROWING = [10, 30, 50, 100, 200, 400];
  test.each<[string, Partial<StreamSizes>, number, number[], boolean]>([
    ['is scanned with as much new text as is scanned again', {}, 400, GROWING, false],
    ['is blocked as soon as that exceeds the scan limit', {}, 800, GROWING, true],
    ['is blocked at an end that is beyond it', {}, 401, GROWING, true],
    ['is scanned by windows to an end that comes soon', {}, 45, [10, 30, 45], false],
    ['grows by windows up to a long overlap', { overlap: 5, max: 60 }, 110, [10, 30, 70, 110], false],
    [
      'is blocked with an overlap near the limit',
      { overlap: 50, max: 10, limit: 60 },
      130,
      [10, 20, 30, 40, 50, 60],
      true,
    ],
  ])('%s', async (_, changes, length, scans, isBlocked) => {
    const lengths: number[] = [];
    const scan = (text: string): Promise<Decision> => {
      lengths.push(text.length);
      return Promise.resolve({ kind: 'output', action: 'allow', ms: 1, cached: false });
    };
    const stream = new WindowedStream({ first: 10, max: 20, overlap: 5, limit: 400, all: false, ...changes }, scan);
    const text = `a${'\u0301'.repeat(length - 1)}`;
    expect(await stream.push(text)).toBe('');
    expect(await stream.end()).toBe(isBlocked ? '' : text);
    expect([lengths, stream.blocked]).toEqual([scans, isBlocked]);
  });
});

describe('a reader who leaves', () => {
  scenario('guard-cancel', 'stops the scan of a reader who leaves, and releases nothing more', async () => {
    let begin: () => void = () => undefined;
    let decided = 0;
    let stopped: { readonly aborted: boolean } | undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const scanner: Scanner = {
      call: (_, __, { signal }) =>
        new Promise((___, reject) => {
          stopped = signal;
          signal?.addEventListener('abort', () => reject(new NetworkError('stopped')));
          begin();
        }),
    };
    const guard = createGuard(scanner, {
      profile: 'prod',
      onError: 'allow',
      stream: { first: 4, max: 4, overlap: 0 },
      onDecision: () => {
        decided += 1;
      },
    });
    const stream = guard.stream();
    const pushed = stream.push('some words of a model');
    await begun;
    stream.cancel();
    expect(await pushed).toBe('');
    expect(stopped?.aborted).toBe(true);
    expect(await stream.push('more')).toBe('');
    expect(await stream.end()).toBe('');
    expect([decided, stream.decision]).toEqual([1, undefined]);
  });
});

describe('silence', () => {
  scenario('guard-silent', 'keeps blocked text out of decisions and messages', async () => {
    const seen: unknown[] = [];
    const { guard } = scripted({ onDecision: (decision) => seen.push(decision) });
    const stream = guard.stream();
    await stream.push('BAD secret words '.repeat(40));
    await stream.end();
    const decision = await guard.input('BAD secret words');
    expect(JSON.stringify([seen, stream.decision, decision, guard.message(decision)])).not.toMatch(/secret/u);
  });
});
