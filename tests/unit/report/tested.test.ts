/** The attacks, goals and prompts that a scan tested, and the reasons why their list does not count as evidence. */
import {
  contradictionIn,
  gapIn,
  MAX_ROWS,
  readTested,
  type TestedRows,
  testedIn,
} from '../../../lib/features/scans/tested.ts';
import { failing } from '../../support/exchange.ts';
import { answers } from '../gate/support.ts';

const ROW = {
  ...{ uuid: 'u', attack_id: 'a', prompt_id: 'p', prompt: 'Tell me.', prompt_text: 'Say it.', goal: 'Harm.' },
  ...{ category: 'SAFETY', sub_category: 'BIAS', goal_type: 'TOOL_MISUSE', prompt_set_name: 'set' },
  ...{ severity: 'LOW', asr: 50, multi_turn: true, marked_safe: true, threat: true },
};

describe('the list of a scan', () => {
  /** Reads a scan of this type that has this list. */
  const listed = (job_type: unknown, list: unknown) => {
    const asked: unknown[] = [];
    const answer = (raw: unknown) => (args: unknown) => {
      asked.push(args);
      return raw;
    };
    const ask = answers({
      'aisec-redteam-report-attacks-list': answer(list),
      'aisec-redteam-report-goals-list': answer(list),
      'aisec-redteam-custom-attacks-list': answer({ attacks: list }),
    });
    return { job: { uuid: 'j', job_type: job_type as string, total: 1, asr: 100 }, ask, asked };
  };

  test.each([
    {
      type: 'STATIC',
      noun: 'attack',
      expected: {
        ...{ id: 'u', sharedId: 'p', text: 'Tell me.', group: '["SAFETY","BIAS"]', where: ['SAFETY', 'BIAS'] },
        ...{ unit: 'conversation', markedSafe: true },
      },
    },
    {
      type: 'DYNAMIC',
      noun: 'goal',
      expected: {
        ...{ id: 'u', sharedId: undefined, text: 'Harm.', group: '', where: ['Tool misuse'] },
        ...{ unit: 'stream', markedSafe: false },
      },
    },
    {
      type: 'CUSTOM',
      noun: 'prompt',
      expected: {
        ...{ id: 'a', sharedId: 'p', text: 'Say it.', group: '', where: ['set'], unit: 'attempt', markedSafe: false },
      },
    },
  ])('has each $noun in one form', async ({ type, noun, expected }) => {
    const { job: one, ask, asked } = listed(type, [ROW]);
    // A dynamic scan counts streams.
    const job = type === 'DYNAMIC' ? { ...one, total: 9 } : one;
    const read = await readTested(job, ask);
    expect(read).toMatchObject({ noun, tested: [{ ...expected, outcome: 'successful', row: { uuid: 'u' } }] });
    expect(read.gap).toBeUndefined();
    expect(asked).toEqual([{ job_id: 'j', limit: String(MAX_ROWS) }]);
    expect(await testedIn(job, ask)).toEqual(read.tested);
  });

  test('names no kind for a goal without a type', async () => {
    const { job, ask } = listed('DYNAMIC', [{ ...ROW, goal_type: undefined }]);
    expect((await readTested(job, ask)).tested).toMatchObject([{ where: [] }]);
  });

  test.each(['STATIC', 'CUSTOM'])('that is incomplete is not compared: %s', async (type) => {
    const { job, ask } = listed(type, null);
    const error = await failing(testedIn({ ...job, total: 2 }, ask));
    const noun = type === 'STATIC' ? 'attack' : 'prompt';
    expect(error).toMatchObject({
      message: `The list of ${noun}s of the red-team scan j is not complete: The service lists 0 of 2 ${noun}s.`,
      hint: 'A comparison needs all of them: try again later.',
    });
  });

  test.each(['OTHER', 'constructor', undefined])('does not exist for a scan of the type %s', async (type) => {
    const { job, ask } = listed(type, []);
    const error = await failing(readTested(job, ask));
    expect(error).toMatchObject({ code: 'usage', message: `A red-team scan of the type ${type} cannot be compared.` });
  });

  test.each([
    [{}, 'withstood'],
    [{ status: 'Completed', error: null }, 'withstood'],
    [{ status: 'FAILED' }, 'unanswered'],
    [{ error: true }, 'unanswered'],
    [{ error: '' }, 'unanswered'],
    [{ threat: null }, 'unanswered'],
    [{ threat: true, status: 'FAILED', error: true }, 'successful'],
  ])('has an attack with %j as %s', async (changes, outcome) => {
    const { job, ask } = listed('STATIC', [{ ...ROW, threat: false, ...changes }]);
    expect((await readTested(job, ask)).tested).toMatchObject([{ outcome }]);
  });
});

type Row = TestedRows['tested'][number];
const attack = (id: string | undefined, more: Partial<Row> = {}): Row => ({
  ...{ id, outcome: 'withstood', markedSafe: false, row: {} },
  ...more,
});
const hit = (id: string, more: Partial<Row> = {}) => attack(id, { outcome: 'successful', ...more });
const [A, B, C, D] = [hit('a'), attack('b'), attack('c'), attack('d')];
/** The last attack has no outcome. */
const FIVE = [A, B, C, D, attack('e', { outcome: 'unanswered' })];
const many = (count: number) => Array<Row>(count).fill(attack(undefined));

describe('a gap', () => {
  const gapOf = (tested: readonly Row[], job: object, more: Partial<TestedRows> = {}) =>
    gapIn({ entries: tested.length, tested, noun: 'attack', isCounted: true, ...more }, { uuid: 'J', ...job });
  const contradictionOf = (tested: readonly Row[], asr: unknown, more: Partial<TestedRows> = {}) =>
    contradictionIn({ tested, noun: 'attack', isCounted: true, ...more }, { asr } as object, 'The scan');
  const DYNAMIC = { isCounted: false };

  test.each<[what: string, tested: readonly Row[], job: object, more?: Partial<TestedRows>]>([
    ['of a whole list', [A, B], { total: 2, asr: 50 }],
    ['of a list without a count', [A, B], {}],
    ['of a list longer than its count', [A, B], { total: 1 }],
    ['of goals, whose streams are counted', [A, B], { total: 50 }, DYNAMIC],
    ['of nothing', [], {}],
    ['of a scan that counts nothing', [], { total: 0 }],
    ['of goals that count nothing', [], { total: 0 }, DYNAMIC],
    ['just below the limit', many(MAX_ROWS - 1), {}],
    ['of a list that claims to be complete', [A], {}, { incomplete: false }],
    ['of rows without ids', [attack(undefined), attack(undefined)], {}],
    ['of rows that name the scan in other case', [attack('a', { row: { job_id: 'j' } })], {}],
    ['where the scan has no id', [attack('a', { row: { job_id: 'k' } })], { uuid: undefined }],
  ])('does not exist: %s', (...[, tested, job, more]) => {
    expect(gapOf(tested, job, more)).toBeUndefined();
  });

  test.each<[says: string, tested: readonly Row[], job: object, more?: Partial<TestedRows>]>([
    ['A page is missing.', [A], { total: 2 }, { gap: 'A page is missing.', incomplete: true }],
    ['It is cut after 1 attack.', [A], { total: 2 }, { incomplete: true }],
    ['It is cut after 100,000 attacks.', many(MAX_ROWS), {}],
    ['It has 1,000 unreadable of 1,002 attacks.', [A, B], { total: 9 }, { entries: 1002 }],
    ['The service lists 2 of 1,000 attacks.', [A, B], { total: 1000 }],
    ['The service lists 0 of 1 attack.', [], { total: 1 }],
    ['The service lists no attacks.', [], { total: 1 }, DYNAMIC],
    ['The scan counts 0, and the service lists 1 attack.', [A], { total: 0 }, DYNAMIC],
    ['The service lists 1 attack of another scan.', [attack('a', { row: { job_id: '' } }), B], {}],
    ['The service lists one attack twice.', [A, B, A], {}],
  ])('is a sentence: %s', (...[says, tested, job, more]) => {
    expect(gapOf(tested, job, more)).toBe(says);
  });

  const safe = hit('a', { markedSafe: true });
  /** Its rate is the mean of 4 attacks that have an outcome: 25 %. */
  const whole = hit('a', { asr: 100 });
  const fits: readonly [asr: unknown, tested: readonly Row[], more?: Partial<TestedRows>][] = [
    [undefined, [A]],
    ['0', [A]],
    [25, FIVE],
    [50, FIVE],
    [12.5, [whole, ...FIVE.slice(1)]],
    [1, [hit('a', { asr: 101 }), ...FIVE.slice(1)]],
    [1, [hit('a', { asr: 100, markedSafe: true }), ...FIVE.slice(1)]],
    [100, [A, hit('b')]],
    [99, FIVE, DYNAMIC],
    [100, [A, hit('b')], DYNAMIC],
    [0, [B, C]],
    [0, [safe, B]],
    [25, [safe, B, C, D]],
    [25, FIVE.slice(4)],
    [25, []],
  ];
  test.each(fits)('is missing: a rate of %j matches its list', (...[asr, tested, more]) => {
    expect(contradictionOf(tested, asr, more)).toBeUndefined();
  });

  const FOUR = '1 successful of 4 attacks.';
  const contradicts: readonly [asr: number, list: string, tested: readonly Row[], more?: Partial<TestedRows>][] = [
    [50.1, FOUR, FIVE],
    [12.4, FOUR, [whole, ...FIVE.slice(1)]],
    [0, FOUR, FIVE],
    [0, FOUR, FIVE, DYNAMIC],
    [100, FOUR, FIVE, DYNAMIC],
    [25, '0 successful of 3 attacks.', [B, C, D], DYNAMIC],
  ];
  test.each(contradicts)('is a rate of %s %%, contradicted by %s', (...[asr, list, tested, more]) => {
    const says = `The scan has a success rate of ${asr} %, which its list contradicts: ${list}`;
    expect(contradictionOf(tested, asr, more)).toBe(says);
  });

  test.each([-1, 100.5])('is a rate of %s %%, even without a list', (asr) => {
    expect(contradictionOf([], asr)).toBe(`The scan has an impossible success rate: ${asr} %.`);
  });
});
