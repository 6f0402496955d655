/** The parts of a service's answer that a guard uses. */
import { readAnswer } from '../../../lib/guard/verdict.ts';

const TEXT = 'Pay with 4111 1111 1111 1111 now';
const MASKED = 'Pay with XXXX now';
const BLOCK = {
  ...{ action: 'block', category: 'malicious', profile_name: 'prod', timeout: false, error: false },
  prompt_detected: { dlp: true },
  prompt_masked_data: { data: MASKED },
};
const withMask = (masks: object) => ({ ...BLOCK, prompt_masked_data: { data: MASKED, ...masks } });
const placed = (data: string) => withMask({ data, pattern_detections: [{ locations: [[9, 28]] }] });
const found = (...locations: unknown[]) => withMask({ pattern_detections: [{ locations }] });

test('a verdict has the texts of the answer, and empty texts for missing members', () => {
  expect(readAnswer({ ...BLOCK, scan_id: 's', report_id: 'r' }, 'tool')).toEqual({
    action: 'block',
    verdict: { action: 'block', category: 'malicious', profile: 'prod', detectors: ['dlp'] },
    ...{ scanId: 's', reportId: 'r' },
  });
  expect(readAnswer({ scan_id: 5 }, 'input', 'x')).toEqual({
    action: 'block',
    verdict: { action: '', category: '', profile: '', detectors: [] },
    cause: 'unknown-action',
  });
});

test.each<[string, unknown]>([
  ['without places', BLOCK],
  ['in another spelling', { ...BLOCK, action: 'deny' }],
  ['with an empty list of places', withMask({ pattern_detections: [] })],
  ['without a list of places', withMask({ pattern_detections: null })],
  ['whose place no longer exists', found([9, 28])],
  ['without a verdict about a tool', { ...BLOCK, tool_detected: { verdict: null } }],
])('a block %s is masked', (_, answer) => {
  expect(readAnswer(answer, 'input', TEXT).masked).toBe(MASKED);
});

const UMLAUTS = 'ä'.repeat(20);
const masking = (data: string, place: readonly number[]) =>
  withMask({ data, pattern_detections: [{ locations: [place] }] });

test.each<[string, string, string, readonly number[]]>([
  ['counts bytes', 'äöü say 4111 1111 1111 1111', 'äöü say XXXX', [11, 30]],
  ['is only in the bytes', `${UMLAUTS}4111 1111 1111 1111`, `${UMLAUTS}XXXX`, [40, 59]],
  ['has a part that stays at its old position', 'see 12345678 card12345678', 'see 12345678 XXXX', [13, 25]],
  ['is so short that it is elsewhere by chance', 'Pin 4-7 in 1947', 'Pin XXXX in 1947', [4, 7]],
])('a place that %s is masked', (_, text, data, place) => {
  expect(readAnswer(masking(data, place), 'input', text).masked).toBe(data);
});

test.each<[string, string, string, readonly number[]]>([
  ['in bytes whose text stays', `${UMLAUTS}4111 1111 1111 1111`, `${UMLAUTS} 4111 1111 1111 1111 XX`, [40, 59]],
  ['inside a character', UMLAUTS, 'XXXX', [21, 24]],
  ['of a short text that is now without its space', 'Pin 4711, ok', 'Pin:4711 XXXX', [3, 8]],
  ['of six signs with other separators', 'Code 12-34-56 now', 'Code 12/34/56 XX now', [5, 13]],
])('[mask-complete] a place %s is not masked', (_, text, data, place) => {
  expect(readAnswer(masking(data, place), 'input', text)).not.toHaveProperty('masked');
});

test.each<[string, unknown]>([
  ['an allow', { ...BLOCK, action: 'allow' }],
  ['no detector', { ...BLOCK, prompt_detected: {} }],
  ['no flags', { ...BLOCK, prompt_detected: undefined }],
  ['a detector that timed out', { ...BLOCK, timeout: true }],
  ['a detector that failed', { ...BLOCK, error: true }],
  ['errors', { ...BLOCK, errors: [{ feature: 'injection' }] }],
  ['no member about timeouts', { ...BLOCK, timeout: undefined }],
  ['an unknown category', { ...BLOCK, category: 'odd' }],
  ['the masked text of an answer', { ...BLOCK, prompt_masked_data: undefined, response_masked_data: { data: MASKED } }],
  ['a part that stays, at no place', withMask({ data: 'Pay with 4111 1111 1111 XXXX now' })],
  ['a part with other separators', withMask({ data: 'Pay with XXXX-1111-1111 now' })],
  ['a part without separators', withMask({ data: 'Pay with 411111111111 XXXX now' })],
  ['a place that is only written differently', placed('Pay with 4111-1111-1111-1111 now')],
  ['a part that remains in two pieces', placed('Pay with 4111/1111/XXXX now')],
  ['a part that stays, at its place', placed('Pay with 4111 1111 1111 XXXX now')],
  ['another place that is not masked', found([9, 28], [0, 8])],
  ['places that are not a list', withMask({ pattern_detections: [{ locations: 9 }] })],
  ['patterns that are not a list', withMask({ pattern_detections: { card: [9, 28] } })],
  ['a finding that is a string', withMask({ pattern_detections: ['card'] })],
  ['no masked text', withMask({ data: 5 })],
  ['a masked text that is the original', withMask({ data: TEXT })],
  ['the original in capitals', withMask({ data: TEXT.toUpperCase() })],
  ['the original with other separators', withMask({ data: TEXT.replaceAll(' ', '-') })],
  ['places in a text', withMask({ pattern_detections: '9-28' })],
  ['a finding without places', found()],
  ['a place in a text', found('9-28')],
  ['a place without a start', found(['9', 28])],
  ['a place without an end', found([9])],
  ['an empty place', found([40, 50])],
  ['a place whose text is still there', found([0, 8])],
  ['another detector', { ...BLOCK, prompt_detected: { dlp: true, injection: true } }],
  ['another detector in another format', { ...BLOCK, prompt_detected: { dlp: true, injection: 'yes' } }],
  ['detectors in a list', { ...BLOCK, response_detected: ['injection'] }],
  ['detectors in a text', { ...BLOCK, tool_detected: 'injection' }],
  ['a verdict about a tool', { ...BLOCK, tool_detected: { verdict: 'malicious' } }],
  ['a verdict about a tool that ends as a harmless one', { ...BLOCK, tool_detected: { verdict: 'not benign' } }],
  ['a verdict about a tool that begins as a harmless one', { ...BLOCK, tool_detected: { verdict: 'benign-ish' } }],
  ['benign content', { ...BLOCK, category: 'benign' }],
  ['the original in wide digits', withMask({ data: 'Pay with ４１１１ １１１１ １１１１ １１１１ now' })],
])('[mask-complete] %s is not a mask', (_, answer) => {
  expect(readAnswer(answer, 'input', TEXT)).not.toHaveProperty('masked');
});

test('a value that is not text is not masked', () => {
  expect(readAnswer(BLOCK, 'input')).not.toHaveProperty('masked');
});
