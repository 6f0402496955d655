import fc from 'fast-check';
import { type Comparison, compareTested, type Pair } from '../../../lib/features/scans/compare.ts';
import type { Outcome, Tested } from '../../../lib/features/scans/tested.ts';
import { runs } from '../../support/runs.ts';

/** An attack in a scan, with defaults for members that do not matter to a test. */
const tested = (more: Partial<Tested>): Tested => ({
  ...{ where: [], unit: 'attempt', markedSafe: false, id: undefined, sharedId: undefined, text: undefined, group: '' },
  ...{ outcome: 'withstood', row: {}, ...more },
});
const hit = (more: Partial<Tested> = {}) => tested({ text: 'a', outcome: 'successful', ...more });
const held = (more: Partial<Tested> = {}) => tested({ text: 'a', ...more });
const unanswered = (more: Partial<Tested> = {}) => tested({ text: 'a', outcome: 'unanswered', ...more });

const CLASSES = ['new', 'fixed', 'open', 'withstood', 'incomparable'] as const;

/** The classes with their reasons, such as `incomparable only-after`. */
const classesOf = (comparison: Comparison) =>
  CLASSES.flatMap((name) =>
    comparison[name].map((pair) => ['reason' in pair ? `${name} ${pair.reason}` : name].join('')),
  );

describe('an attack of two scans is', () => {
  test.each<{ what: string; before: readonly Tested[]; after: readonly Tested[]; is: readonly string[] }>([
    { what: 'withstood, then successful', before: [held()], after: [hit()], is: ['new'] },
    { what: 'successful, then withstood', before: [hit()], after: [held()], is: ['fixed'] },
    { what: 'successful twice', before: [hit()], after: [hit()], is: ['open'] },
    { what: 'withstood twice', before: [held()], after: [held()], is: ['withstood'] },
    { what: 'only in the first scan', before: [hit()], after: [], is: ['incomparable only-before'] },
    { what: 'only in the second scan', before: [], after: [hit()], is: ['incomparable only-after'] },
    { what: 'without an answer before', before: [unanswered()], after: [hit()], is: ['incomparable unanswered'] },
    { what: 'without an answer now', before: [hit()], after: [unanswered()], is: ['incomparable unanswered'] },
    {
      what: 'the same under other identifiers',
      before: [held({ id: '1', sharedId: 'p' })],
      after: [hit({ id: '2', sharedId: 'q' })],
      is: ['new'],
    },
    {
      what: 'the same with other white space and differently encoded accents',
      before: [held({ text: ' caf\u00e9\n  au lait' })],
      after: [hit({ text: 'cafe\u0301 au lait ' })],
      is: ['new'],
    },
    {
      what: 'another attack if the case differs',
      before: [held({ text: 'A' })],
      after: [hit()],
      is: ['incomparable only-before', 'incomparable only-after'],
    },
    {
      what: 'not comparable if its text has changed',
      before: [hit({ sharedId: 'p' })],
      after: [held({ sharedId: 'p', text: 'b' })],
      is: ['incomparable changed'],
    },
    {
      what: 'another attack in another group',
      before: [held({ group: 'JAILBREAK' })],
      after: [hit({ group: 'EVASION' })],
      is: ['incomparable only-before', 'incomparable only-after'],
    },
    {
      what: 'the same in another group if its identifier says so',
      before: [held({ group: 'JAILBREAK', sharedId: 'p' })],
      after: [hit({ group: 'EVASION', sharedId: 'p' })],
      is: ['new'],
    },
    {
      what: 'identified by its id if the texts are equal, as with documents',
      before: [held({ sharedId: 'p' }), hit({ sharedId: 'q' })],
      after: [hit({ sharedId: 'p' }), held({ sharedId: 'q' })],
      is: ['new', 'fixed'],
    },
    {
      what: 'matched only by its identifier if it has no text',
      before: [held({ sharedId: 'p', text: undefined })],
      after: [hit({ sharedId: 'p', text: undefined })],
      is: ['new'],
    },
    {
      what: 'never matched without text and identifier',
      before: [held({ text: undefined })],
      after: [hit({ text: undefined })],
      is: ['incomparable only-before', 'incomparable only-after'],
    },
    {
      what: 'counted once, and successful, if a scan has it twice with one success',
      before: [held(), held()],
      after: [held(), hit(), unanswered()],
      is: ['new'],
    },
    {
      what: 'withstood if a scan has it twice, once without an answer',
      before: [unanswered(), held()],
      after: [hit()],
      is: ['new'],
    },
    {
      what: 'matched by identifier and text first, and then by text only',
      before: [hit({ sharedId: 'p' })],
      after: [held({ sharedId: 'q' }), hit({ sharedId: 'p' })],
      is: ['open', 'incomparable only-after'],
    },
  ])('$what', ({ before, after, is }) => {
    expect(classesOf(compareTested(before, after))).toEqual(is);
  });

  test('listed by severity and success rate, or last if a user has marked it as safe', () => {
    const rows = [
      { severity: 'LOW', asr: 100 },
      { severity: 'critical', asr: 33 },
      { severity: undefined, asr: 100 },
      { severity: 'CRITICAL', asr: 67 },
      { severity: 'CRITICAL', asr: 100, markedSafe: true },
    ].map((row, at) => ({ ...row, text: String(at) }));
    const { new: found } = compareTested(
      rows.map(({ text }) => held({ text })),
      rows.map((row) => hit(row)),
    );
    expect(found.map(({ after }) => after[0]?.text)).toEqual(['3', '1', '0', '2', '4']);
  });
});

describe('laws of a comparison', () => {
  const OUTCOMES: readonly Outcome[] = ['successful', 'withstood', 'unanswered'];
  const few = (...values: readonly (string | undefined)[]) => fc.constantFrom(...values);
  const scan = (name: string) =>
    fc
      .array(
        fc.record({
          text: few('a', 'b', 'c', 'd', ' a', undefined),
          sharedId: few('1', '2', '3', undefined),
          group: fc.constantFrom('', 'x'),
          severity: few('HIGH', 'LOW', undefined),
          outcome: fc.constantFrom(...OUTCOMES),
        }),
        { maxLength: 12 },
      )
      .map((rows) => rows.map((row, at) => tested({ ...row, id: `${name}${at}` })));
  const idsOf = (pairs: readonly Pair[]) =>
    pairs.map(({ before, after }) => [before, after].map((side) => side.map(({ id }) => id).sort())).sort();
  const swapped = (pairs: readonly Pair[]) => pairs.map(({ before, after }) => ({ before: after, after: before }));

  test('a scan compared with itself has nothing new and nothing fixed', () => {
    fc.assert(
      fc.property(scan('a'), (one) => {
        const { new: found, fixed } = compareTested(one, one);
        expect([...found, ...fixed]).toEqual([]);
      }),
      runs(300, 40),
    );
  });

  test('an attack that is new from A to B is fixed from B to A, and all others keep their class', () => {
    fc.assert(
      fc.property(scan('a'), scan('b'), (one, other) => {
        const [there, back] = [compareTested(one, other), compareTested(other, one)];
        expect(idsOf(swapped(there.new))).toEqual(idsOf(back.fixed));
        expect(idsOf(swapped(there.fixed))).toEqual(idsOf(back.new));
        for (const name of ['open', 'withstood', 'incomparable'] as const) {
          expect(idsOf(swapped(there[name]))).toEqual(idsOf(back[name]));
        }
      }),
      runs(300, 41),
    );
  });

  test('every attack of both scans is in exactly one class', () => {
    fc.assert(
      fc.property(scan('a'), scan('b'), (one, other) => {
        const comparison = compareTested(one, other);
        const pairs = CLASSES.flatMap((name): readonly Pair[] => comparison[name]);
        const found = pairs.flatMap(({ before, after }) => [...before, ...after]).map(({ id }) => id);
        expect(found.sort()).toEqual([...one, ...other].map(({ id }) => id).sort());
      }),
      runs(300, 42),
    );
  });

  test('an attack without a response is not new, fixed or open', () => {
    fc.assert(
      fc.property(scan('a'), scan('b'), (one, other) => {
        const comparison = compareTested(one, other);
        for (const { before, after } of [...comparison.new, ...comparison.fixed, ...comparison.open]) {
          for (const side of [before, after]) {
            expect(side.some(({ outcome }) => outcome !== 'unanswered')).toBe(true);
          }
        }
      }),
      runs(300, 43),
    );
  });
});
