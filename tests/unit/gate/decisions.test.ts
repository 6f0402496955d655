/** Faults on the lines that decide, each of which a test must notice. */

import { textReader } from '../../../lib/bulk/lines.ts';
import { gateBulk } from '../../../lib/features/gate/gates.ts';
import { ALLOWED } from '../../support/answers.ts';
import { NOW, policyOf, redTeamVerdict } from './support.ts';

describe('a bulk scan with more blocked prompts than kept findings', () => {
  const COUNT = 20_001;
  const text = Array.from({ length: COUNT }, (_, at) =>
    JSON.stringify({ row: at + 1, action: 'block', prompt: `p${at}`, prompt_detected: { dlp: true } }),
  ).join('\n');
  const rest = `${JSON.stringify({ row: COUNT + 1, ...ALLOWED, prompt: 'fine' })}\n`;

  test.each([
    { policy: 'bulk: {max_blocked: 20000}', broken: '20,001 of 20,002 prompts blocked, more than 20,000' },
    { policy: 'bulk: {max_blocked_percent: 99.992}', broken: '100 % of 20,002 prompts blocked, more than 99.992 %' },
    { policy: 'bulk: {detectors: {dlp: 20000}}', broken: '20,001 prompts blocked by dlp, more than 20,000' },
  ])('counts every blocked prompt against $policy', async ({ policy, broken }) => {
    const reader = textReader(`${text}\n${rest}`);
    const verdict = await gateBulk([{ reader, name: 'run.jsonl' }], { policy: await policyOf(policy), now: NOW });
    expect(verdict.findings).toHaveLength(20_000);
    expect(verdict.limits.flatMap((limit) => limit.broken ?? [])).toEqual([broken]);
  });
});

test.each(['SEVERE', '', undefined])('the unknown severity %j counts as critical', async (severity) => {
  const attack = { uuid: 'a', sub_category: 'JAILBREAK', prompt: 'x', severity };
  const verdict = await redTeamVerdict({ uuid: 'j', name: 'n', status: 'COMPLETED', asr: 40 }, [attack], {
    failOn: 'critical',
  });
  expect(verdict.findings.map((finding) => finding.severity)).toEqual(['critical']);
  expect(verdict.failed).toBe(true);
});
