/** Texts above the service's limits: scanned in parts, with one decision. */
import fc from 'fast-check';
import { NetworkError } from '../../../lib/core/errors.ts';
import { LONGEST, SHARED } from '../../../lib/guard/options.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { type Asked, scripted, verdictOf } from './scripted.ts';

/** Answers like the service, which accepts no longer text, with masks of any length. */
const serviceWith =
  (mask: string) =>
  (text: string, kind: 'prompt' | 'response'): unknown => {
    expect(text.length).toBeLessThanOrEqual(kind === 'prompt' ? LONGEST.input : LONGEST.output);
    return verdictOf(text, kind, mask);
  };

const KINDS = ['input', 'output'] as const;
const pieces = fc.constantFrom(
  'a',
  'word ',
  '\n',
  'é',
  'e\u0301',
  '👩‍👩‍👧',
  '\u0301',
  '😀',
  '\u200b',
  '\ud800',
  '한',
  ' ',
);
/** Texts of one to four times the limit, without repetition. */
const longTexts = fc
  .tuple(fc.array(pieces, { minLength: 1, maxLength: 30 }), fc.integer({ min: 10_001, max: 80_000 }))
  .map(([parts, length]) => {
    let text = '';
    for (let at = 0; text.length < length; at += 1) text += `${parts[at % parts.length]}${at % 7 === 0 ? at : ''}`;
    return text;
  });

/** Returns true if the scanned parts contain every code unit of a text, and consecutive parts overlap enough. */
function covers(text: string, asked: readonly Asked[]): boolean {
  let reached = 0;
  for (const { text: part } of asked) {
    const at = text.indexOf(part);
    if (at < 0 || (reached > 0 && at > reached - SHARED)) return false;
    reached = at + part.length;
  }
  return reached === text.length;
}

describe.each(KINDS)('an %s above the limit', (kind) => {
  scenario('guard-stream', `is scanned as a whole: ${kind}`, async () => {
    await fc.assert(
      fc.asyncProperty(longTexts, async (text) => {
        const { guard, asked } = scripted({ cache: false }, serviceWith('X'));
        const decision = await guard[kind](text);
        expect(decision.action).toBe('allow');
        expect(decision).not.toHaveProperty('text');
        expect(text.length <= LONGEST[kind] || covers(text, asked)).toBe(true);
        const scanned = asked.reduce((sum, scan) => sum + scan.text.length, 0);
        expect(scanned).toBeLessThan(text.length * 1.2 + 2 * SHARED);
      }),
      { numRuns: 60 },
    );
  });

  scenario('guard-stream', `is blocked for a bad word anywhere, also across a seam: ${kind}`, async () => {
    await fc.assert(
      fc.asyncProperty(longTexts, fc.nat(), async (text, place) => {
        const at = place % text.length;
        const { guard } = scripted({}, serviceWith('X'));
        expect((await guard[kind](`${text.slice(0, at)}BAD${text.slice(at)}`)).action).toBe('block');
      }),
      { numRuns: 100 },
    );
  });

  test('is blocked for a bad word at each place near a seam', async () => {
    const text = 'ab'.repeat(LONGEST[kind]);
    for (let at = LONGEST[kind] - SHARED - 60; at < LONGEST[kind] + 10; at += 7) {
      const { guard } = scripted({}, serviceWith('X'));
      expect((await guard[kind](`${text.slice(0, at)}BAD${text.slice(at)}`)).action).toBe('block');
    }
  });

  test('is not scanned beyond the first blocked part', async () => {
    const { guard, asked } = scripted({}, serviceWith('X'));
    const decision = await guard[kind](`BAD${'word '.repeat(20_000)}`);
    expect(decision).toMatchObject({ kind, action: 'block', scanId: 'scan-1', verdict: { detectors: ['injection'] } });
    expect(asked).toHaveLength(1);
  });

  test('is decided once', async () => {
    const seen: unknown[] = [];
    const { guard } = scripted({ onDecision: (decision) => seen.push(decision) }, serviceWith('X'));
    const decision = await guard[kind]('word '.repeat(20_000));
    expect(seen).toEqual([decision]);
  });

  test.each([
    ['the same length', 'XXXX XXXX XXXX XXXX'],
    ['a shorter length', '[CARD]'],
    ['no length', ''],
    ['a longer length', '[a card number was removed here]'],
  ])('is masked with a mask of %s, unless a masked place is close to a seam', async (_, mask) => {
    const { guard } = scripted({ mask: { [kind]: true } }, serviceWith(mask));
    const text = (card: string, last: number) =>
      Array.from({ length: 4000 }, (__, at) =>
        at % 97 === 0 && at < last ? `no. ${at}: ${card} paid` : `word ${at}`,
      ).join(' ');
    const decision = await guard[kind](text('4111 1111 1111 1111', 800));
    expect(decision).toMatchObject({ action: 'mask' });
    expect(decision.text === text(mask, 800)).toBe(true);
    const unjoined = await guard[kind](text('4111 1111 1111 1111', 4000));
    expect(unjoined).toMatchObject({ action: 'block', unscanned: 'incomplete' });
  });

  test('is masked although another part has no verdict, and reports both', async () => {
    let calls = 0;
    const { guard } = scripted({ mask: { [kind]: true }, onError: 'allow' }, (text, of) => {
      calls += 1;
      if (calls > 1) throw new NetworkError('away');
      return verdictOf(text, of);
    });
    const decision = await guard[kind](`4111 1111 1111 1111 ${'word '.repeat(10_000)}`);
    expect(decision).toMatchObject({ action: 'mask', unscanned: 'network' });
    expect(decision.text).toBe(`XXXX XXXX XXXX XXXX ${'word '.repeat(10_000)}`);
  });

  test.each([
    ['block', 'block'],
    ['allow', 'allow'],
  ] as const)('follows onError %s if one part has no verdict', async (onError, action) => {
    let calls = 0;
    const { guard } = scripted({ onError }, (text, of) => {
      calls += 1;
      if (calls === 2) throw new NetworkError('away');
      return verdictOf(text, of);
    });
    expect(await guard[kind]('word '.repeat(20_000))).toMatchObject({ action, unscanned: 'network' });
  });
});

test('a conversation above the limit is scanned in parts', async () => {
  const { guard, asked } = scripted({ cache: false }, serviceWith('X'));
  const words = 'word '.repeat(5000);
  const messages = [
    { role: 'user', content: words },
    { role: 'tool', content: [{ type: 'tool-result', output: `${words}BAD` }] },
  ];
  expect((await guard.input(messages)).action).toBe('block');
  expect(asked.length).toBeGreaterThan(4);
});

test('a text at the limit is one scan', async () => {
  const { guard, asked } = scripted();
  await guard.input('a'.repeat(LONGEST.input));
  await guard.output('a'.repeat(LONGEST.output));
  expect(asked.map(({ text }) => text.length)).toEqual([LONGEST.input, LONGEST.output]);
});
