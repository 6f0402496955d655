/** Texts for decisions, log lines, and a scanner that remembers which service answered. */
import { causeText, decisionLine, groundsOf, remembering } from '../../../lib/guard/cause-words.ts';
import type { Cause, Decision, Scanner } from '../../../lib/guard/types.ts';

const DECISION: Decision = { kind: 'input', action: 'block', ms: 1, cached: false };
const VERDICT = { action: 'block', category: 'malicious', profile: 'prod', detectors: ['injection', 'dlp'] };
const CAUSES: readonly Cause[] = [
  ...(['authentication', 'permission', 'profile', 'usage', 'quota', 'rate-limit', 'timeout', 'network'] as const),
  ...(['service', 'incomplete', 'unknown-action', 'malformed', 'unreadable', 'cancelled'] as const),
];

test.each(CAUSES)('%s has its own text', (cause) => {
  expect(causeText(cause)).toMatch(/^(?:the|there|a) [a-z]/);
  expect(CAUSES.filter((other) => causeText(other) === causeText(cause))).toEqual([cause]);
});

test.each<[Partial<Decision>, string]>([
  [{ unscanned: 'quota', verdict: VERDICT }, 'no complete verdict: the quota is used up (quota)'],
  [{ unscanned: 'profile' }, 'no complete verdict: the security profile cannot be used (profile)'],
  [
    { unscanned: 'profile', profile: 'prdo' },
    'no complete verdict: the security profile "prdo" cannot be used (profile)',
  ],
  [
    { unscanned: 'profile', profile: 'x'.repeat(61) },
    `no complete verdict: the security profile "${'x'.repeat(60)}" cannot be used (profile)`,
  ],
  [{}, 'there is nothing to scan'],
  [{ verdict: VERDICT }, 'injection, dlp'],
  [{ verdict: { ...VERDICT, detectors: [] } }, 'malicious'],
])('a decision with %j is due to %s', (more, grounds) => {
  expect(groundsOf({ ...DECISION, ...more })).toBe(grounds);
});

test('a scanner remembers its last failure, and that the simulated service answered once', async () => {
  const answers: unknown[] = [{ simulated: false }, { simulated: true }, { simulated: false }, new Error('away')];
  const calls: unknown[] = [];
  const scanner = {
    call: async (...given: unknown[]) => {
      calls.push(given);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as Scanner;
  const remembered = remembering(scanner);
  const seen = [remembered.simulated];
  for (let times = 0; times < 3; times += 1) {
    await remembered.call('scan', { prompt: 'x' }, {});
    seen.push(remembered.simulated);
  }
  expect([seen, remembered.failure]).toEqual([[false, false, true, true], undefined]);
  await expect(remembered.call('scan', {}, {})).rejects.toThrow('away');
  expect(remembered.failure).toEqual(new Error('away'));
  expect(calls[0]).toEqual(['scan', { prompt: 'x' }, {}]);
});

const LOGGED: Decision = { kind: 'output', action: 'allow', ms: 7, cached: false };
const FOUND = { action: 'block', category: 'malicious', profile: 'prod', detectors: ['injection'] };

test.each<[string, Partial<Decision>, string, string]>([
  ['an allow', {}, 'debug', 'The guard allowed an output.'],
  ['a block', { action: 'block', kind: 'input' }, 'info', 'The guard blocked an input.'],
  ['a mask', { action: 'mask', text: 'XXXX' }, 'info', 'The guard masked an output.'],
  [
    'content that passes without a verdict',
    { unscanned: 'timeout', kind: 'tool' },
    'warn',
    'The guard allowed a tool call without a complete verdict: timeout.',
  ],
  [
    'a reader who left',
    { unscanned: 'cancelled', action: 'block' },
    'debug',
    'The guard blocked an output without a complete verdict: cancelled.',
  ],
])('a line says %s', (_title, more, level, message) => {
  expect(decisionLine({ ...LOGGED, ...more })).toMatchObject({ level, message });
});

test('a line names the unusable profile', () => {
  const { fields } = decisionLine({ ...LOGGED, action: 'block', unscanned: 'profile', profile: 'prdo' });
  expect(fields).toMatchObject({ unscanned: 'profile', profile: 'prdo' });
});

test('a line has the findings of the service, and no text', () => {
  const { fields } = decisionLine({ ...LOGGED, action: 'mask', text: 'masked', verdict: FOUND, scanId: 's-1' });
  expect(fields).toEqual({
    ...{ kind: 'output', action: 'mask', category: 'malicious', profile: 'prod', detectors: ['injection'] },
    ...{ scanId: 's-1', ms: 7, cached: false },
  });
});
