import { detectorsOf, doubtOf, type NoVerdict, readVerdict, scanVerdict } from '../../../lib/output/verdict.ts';
import { ALLOWED, ANSWERS } from '../../support/answers.ts';

const decided = (reading: 'allow' | 'block' | NoVerdict) =>
  reading === 'allow' || reading === 'block' ? { decision: reading } : { decision: 'none', cause: reading };

describe('the reading of an answer', () => {
  test.each(ANSWERS)('with $what is $reading', ({ answer, reading }) => {
    expect(readVerdict(answer)).toEqual({ ...decided(reading), detectors: detectorsOf(answer) });
    expect(typeof scanVerdict(answer) === 'object').toBe(decided(reading).decision === 'none');
  });

  test.each([undefined, null, 'allow', 7, true, [ALLOWED], []])('of %j, which is no object, is none', (answer) => {
    expect(readVerdict(answer)).toEqual({ decision: 'none', cause: 'missing', detectors: [] });
  });

  test.each(['action', 'category', 'timeout', 'error'])('without %s is none', (name) => {
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
    no: false,
    none: 'false',
    zero: 0,
    empty: '',
    odd: null,
  };

  test.each([
    ['the prompt', { prompt_detected: flags }],
    ['the response', { response_detected: flags }],
    ['the summary of a tool', { tool_detected: { summary: { detections: flags } } }],
    ['the input of a tool', { tool_detected: { input_detected: { detection_entries: [{ detections: flags }] } } }],
    [
      'the output of a tool',
      { tool_detected: { output_detected: { detection_entries: [{}, { detections: flags }] } } },
    ],
  ])('of %s fired if they are set in any form', (_, found) => {
    expect(detectorsOf(found)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(readVerdict({ ...ALLOWED, ...found })).toMatchObject({
      decision: 'allow',
      detectors: ['a', 'b', 'c', 'd', 'e'],
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
    ['timeout', {}, 'A detector timed out: the verdict is incomplete.'],
    ['error', {}, 'A detector failed: the verdict is incomplete.'],
    ['category', { category: 'odd' }, 'The category "odd" is unknown, so the action allow is not certain.'],
    ['missing', {}, 'The response does not say that the scan is complete, so the action allow is not certain.'],
  ] as const)('because of %s of %j is a sentence', (cause, answer, sentence) => {
    expect(doubtOf(cause, answer)).toBe(sentence);
  });
});
