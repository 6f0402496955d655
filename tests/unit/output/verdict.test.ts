import {
  actionOf,
  bulkVerdict,
  detectorsOf,
  doubtOf,
  isIncomplete,
  type NoVerdict,
  readCompleteness,
  readRow,
  readVerdict,
  scanVerdict,
} from '../../../lib/runtime/output/verdict.ts';
import { ALLOWED, ANSWERS } from '../../support/answers.ts';

const decided = (reading: 'allow' | 'block' | NoVerdict) =>
  reading === 'allow' || reading === 'block' ? { decision: reading } : { decision: 'none', cause: reading };

describe('the interpretation of an answer', () => {
  test.each(ANSWERS)('with $what is $reading', ({ answer, reading }) => {
    expect(readVerdict(answer)).toEqual({ ...decided(reading), detectors: detectorsOf(answer) });
    expect(typeof scanVerdict(answer) === 'object').toBe(decided(reading).decision === 'none');
  });

  test.each([undefined, null, 'allow', 7, true, [ALLOWED], []])(
    'of %j, which is not an object, is missing',
    (answer) => {
      expect(readVerdict(answer)).toEqual({ decision: 'none', cause: 'missing', detectors: [] });
    },
  );

  test.each(['action', 'category', 'timeout', 'error'])('without %s counts as missing', (name) => {
    expect(readVerdict({ ...ALLOWED, [name]: undefined }).decision).toBe('none');
  });
});

describe('detectors', () => {
  const flags = {
    a: true,
    b: 'true',
    c: 'TRUE',
    d: 1,
    e: '1',
    f: 'yes',
    g: ' True ',
    h: 2,
    i: [true],
    j: { detected: true },
    no: false,
    none: 'false',
    nothing: 'False ',
    zeroText: '0',
    zero: 0,
    empty: '',
    odd: null,
  };

  test.each([
    ['the prompt', { prompt_detected: flags }],
    ['the response', { response_detected: flags }],
    ['the tool summary', { tool_detected: { summary: { detections: flags } } }],
    ['the tool input', { tool_detected: { input_detected: { detection_entries: [{ detections: flags }] } } }],
    ['the tool output', { tool_detected: { output_detected: { detection_entries: [{}, { detections: flags }] } } }],
  ])('of %s fired if they are set in any form', (_, found) => {
    expect(detectorsOf(found)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']);
    expect(readVerdict({ ...ALLOWED, ...found })).toMatchObject({
      decision: 'allow',
      detectors: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'],
    });
  });

  test('are named once, in the order of the texts', () => {
    const found = { prompt_detected: { dlp: true }, response_detected: { toxic_content: true, dlp: true } };
    expect(detectorsOf(found)).toEqual(['dlp', 'toxic_content']);
  });

  test.each([undefined, 'dlp', [], { prompt_detected: ['dlp'], tool_detected: { input_detected: [1] } }])(
    'of %j are empty',
    (answer) => expect(detectorsOf(answer)).toEqual([]),
  );
});

describe('a doubt', () => {
  test.each([
    ['action', { action: 'alert' }, 'The action "alert" is neither allow nor block.'],
    ['action', {}, 'The action of the response is neither allow nor block.'],
    ['action', { action: 'x'.repeat(61) }, `The action "${'x'.repeat(60)}" is neither allow nor block.`],
    ['timeout', {}, 'A detector timed out: the verdict is incomplete.'],
    ['error', {}, 'A detector failed: the verdict is incomplete.'],
    ['category', { category: 'odd' }, 'The category "odd" is unknown, so the action allow is not certain.'],
    ['missing', {}, 'The response does not say that the scan is complete, so the action allow is not certain.'],
  ] as const)('because of %s of %j is a sentence', (cause, answer, sentence) => {
    expect(doubtOf(cause, answer)).toBe(sentence);
  });
});

describe('a stored row', () => {
  const REFUSED = { ...ALLOWED, action: 'block' };
  test.each([
    ['without a decision', ALLOWED, 'allow'],
    ['that ended', { ...ALLOWED, status: 'complete' }, 'allow'],
    ['with its own decision', { ...ALLOWED, decision: 'allow' }, 'allow'],
    ['without a verdict, that did not end', { ...ALLOWED, timeout: true, status: 'failed' }, 'timeout'],
    ['whose status is null', { ...ALLOWED, status: null }, 'missing'],
    ['whose decision is null', { ...ALLOWED, decision: null }, 'allow'],
    ['that refuses, and did not end', { ...REFUSED, status: 'failed' }, 'block'],
    ['that refuses, whose decision is allow', { ...REFUSED, decision: 'allow' }, 'block'],
    ['that refuses, whose decision is none', { ...REFUSED, decision: 'none', decision_cause: 'error' }, 'block'],
    ['that did not end', { ...ALLOWED, status: 'failed' }, 'missing'],
    ['with another decision', { ...ALLOWED, decision: 'block' }, 'missing'],
    ['with another decision, and its cause', { ...ALLOWED, decision: 'none', decision_cause: 'category' }, 'category'],
    ['with another decision, and an unknown cause', { ...ALLOWED, decision: 'none', decision_cause: 'odd' }, 'missing'],
  ] as const)('%s is %s', (_, row, reading) => {
    expect(readRow(row)).toEqual({ ...decided(reading), detectors: [] });
  });
});

test.each(ANSWERS)('the answer with $what is complete, whatever its action, or says why not', ({ answer, reading }) => {
  const isAction = reading === 'action' || reading === 'block';
  const allowed = readVerdict(isAction ? { ...answer, action: 'allow' } : answer);
  expect(readCompleteness(answer)).toEqual(allowed);
  expect(isIncomplete(readVerdict(answer))).toBe(reading === 'timeout' || reading === 'error');
});

test('a missing answer is not complete', () => {
  expect(readCompleteness(undefined)).toEqual({ decision: 'none', cause: 'category', detectors: [] });
});

describe('the counts of a bulk scan', () => {
  const COUNTS = { total: 3, blocked: 0, allowed: 3, errors: 0, uncertain: 0 };
  test.each([
    ['all allowed', {}, 'allow'],
    ['a block', { blocked: 1, allowed: 0, errors: 'odd' }, 'block'],
    ['no prompts', { total: 0, allowed: 0 }, 'No prompt was scanned.'],
    ['no total', { total: undefined }, 'No prompt was scanned.'],
    ['counts that do not add up', { total: 4 }, 'The counts of the scan do not add up.'],
    ['errors that no prompt has', { allowed: 4, errors: 1 }, 'The counts of the scan do not add up.'],
    ['counts as texts', { total: '3', blocked: '1' }, 'block'],
    ['errors as a string', { errors: '0' }, 'No verdict of allow or block for 0 prompts.'],
    ['an error', { allowed: 2, errors: 1 }, 'No verdict of allow or block for 1 prompt.'],
    [
      'uncertain verdicts',
      { uncertain: 2 },
      'A detector timed out or failed, the category is unknown, or the response is cut, for 2 prompts.',
    ],
  ])('with %s: %s', (_, changes, verdict) => {
    const read = bulkVerdict({ ...COUNTS, ...changes });
    expect(typeof read === 'object' ? read.doubt : read).toBe(verdict);
  });
});

test.each([
  ['Allow', 'allow'],
  ['DENIED ', 'block'],
  ['alert', undefined],
  [7, undefined],
])('the action %j counts as %j', (action, counted) => {
  expect(actionOf(action)).toBe(counted);
});
