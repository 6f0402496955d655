import { decisionLine } from '../../../lib/guard/reasons.ts';
import type { Decision } from '../../../lib/guard/types.ts';

const DECISION: Decision = { kind: 'output', action: 'allow', ms: 7, cached: false };
const VERDICT = { action: 'block', category: 'malicious', profile: 'prod', detectors: ['injection'] };

test.each<[string, Partial<Decision>, string, string]>([
  ['an allow', {}, 'debug', 'The guard allowed an output.'],
  ['a block', { action: 'block', kind: 'input' }, 'info', 'The guard blocked an input.'],
  ['a mask', { action: 'mask', text: 'XXXX' }, 'info', 'The guard masked an output.'],
  [
    'what passes without a verdict',
    { unscanned: 'timeout', kind: 'tool' },
    'warn',
    'The guard allowed a call of a tool without a complete verdict: timeout.',
  ],
  [
    'a reader who left',
    { unscanned: 'cancelled', action: 'block' },
    'debug',
    'The guard blocked an output without a complete verdict: cancelled.',
  ],
])('a line says %s', (_title, more, level, message) => {
  expect(decisionLine({ ...DECISION, ...more })).toMatchObject({ level, message });
});

test('a line names the profile that cannot be used', () => {
  const { fields } = decisionLine({ ...DECISION, action: 'block', unscanned: 'profile', profile: 'prdo' });
  expect(fields).toMatchObject({ unscanned: 'profile', profile: 'prdo' });
});

test('a line has what the service found, and no text', () => {
  const { fields } = decisionLine({ ...DECISION, action: 'mask', text: 'masked', verdict: VERDICT, scanId: 's-1' });
  expect(fields).toEqual({
    ...{ kind: 'output', action: 'mask', category: 'malicious', profile: 'prod', detectors: ['injection'] },
    ...{ scanId: 's-1', ms: 7, cached: false },
  });
});
