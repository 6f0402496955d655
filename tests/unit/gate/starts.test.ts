/** Scans that a gate starts, several files as one evidence, and the names that a policy knows. */
import { type BulkEvidence, joinedEvidence, MAX_FINDINGS } from '../../../lib/features/gate/bulk.ts';
import { scanModel, startRedTeam } from '../../../lib/features/gate/gates.ts';
import { CATEGORIES, DETECTORS, FRAMEWORKS } from '../../../lib/features/gate/policy/policy.ts';
import { FINDING } from './made-up.ts';
import { answers, NOW, policyOf } from './support.ts';

const LISTED = [
  { uuid: '1', name: 'one' },
  { uuid: '2', name: 'two' },
  { uuid: '3', name: 'two' },
];
const sent: unknown[] = [];
const noted = <T>(args: unknown, answer: T): T => {
  sent.push(args);
  return answer;
};
const ask = answers({
  'aisec-model-security-groups-list': (args) => noted(args, LISTED),
  'aisec-redteam-targets-list': (args) => noted(args, LISTED),
  'aisec-model-security-scans-create': (args) => noted(args, { uuid: 'new' }),
  'aisec-redteam-scan-create': (args) => noted(args, { uuid: 'new' }),
});
beforeEach(() => void sent.splice(0));

const STARTS = {
  model: {
    noun: 'security group',
    start: (named: string, wait: boolean) =>
      scanModel({ uri: 'hf://m', securityGroup: named, wait }, { ask, now: NOW }),
    args: (uuid: string) => ({ model_uri: 'hf://m', security_group_uuid: uuid, wait: 'true' }),
    later: ['The model scan has been started, and has no result yet.', 'aisec gate model new'],
  },
  redteam: {
    noun: 'red-team target',
    start: (named: string, wait: boolean) =>
      startRedTeam({ target: named, args: { custom: 'x' }, wait }, { ask, now: NOW }),
    args: (uuid: string) => ({
      ...{ name: 'gate 2027-01-15 12:00', job_type: 'STATIC', custom: 'x', target_uuid: uuid, wait: 'true' },
    }),
    later: ['The red-team scan has been started, and has no result yet.', 'aisec gate redteam new'],
  },
};

describe.each(Object.entries(STARTS))('a gate that starts a scan: %s', (_, { noun, start, args, later }) => {
  test.each([
    ['one', '1'],
    ['3', '3'],
  ])('finds "%s" by name or id', async (named, uuid) => {
    expect(await start(named, true)).toBe('new');
    expect(sent).toEqual([{ limit: '1000000' }, args(uuid)]);
  });

  test.each([
    { named: 'two', message: `2 ${noun} is called "two".`, hint: 'Give its id instead.' },
    { named: 'none', message: `No ${noun} is called "none".`, hint: 'There are: one, two, two.' },
    { named: 'x'.repeat(81), message: `No ${noun} is called "${'x'.repeat(80)}".`, hint: 'There are: one, two, two.' },
  ])('starts no scan for "$named"', async ({ named, message, hint }) => {
    await expect(start(named, true)).rejects.toMatchObject({ code: 'usage', message, hint });
    expect(sent).toHaveLength(1);
  });

  test('has no verdict without --wait', async () => {
    const [message, command] = later;
    const hint = `Add --wait to decide when it has ended, or decide later with: ${command}`;
    await expect(start('one', false)).rejects.toMatchObject({ code: 'service', message, hint });
    expect(sent[1]).toMatchObject({ wait: 'false' });
  });
});

const evidence = (more: Partial<BulkEvidence>): BulkEvidence => ({
  ...{
    subject: 'bulk a.jsonl',
    findings: [],
    passed: '1 prompt: 0 blocked.',
    prompts: 1,
    blocked: 0,
    byDetectors: new Map(),
  },
  ...more,
});

describe('several files of bulk scans', () => {
  test('are combined: sums, all findings up to the limit, and every doubt', () => {
    const findings = Array.from({ length: MAX_FINDINGS }, () => FINDING);
    const joined = joinedEvidence([
      evidence({ prompts: 5, blocked: 2, byDetectors: new Map([['["dlp"]', 2]]), findings, unfinished: 'A is cut.' }),
      evidence({
        prompts: 7,
        blocked: 1,
        byDetectors: new Map([['["dlp"]', 1]]),
        findings: [FINDING],
        simulated: true,
      }),
      evidence({ unfinished: 'C is cut.' }),
    ]);
    expect({ ...joined, findings: joined.findings.length }).toEqual({
      ...{ subject: 'bulk 3 files', findings: MAX_FINDINGS, passed: '13 prompts: 3 blocked.' },
      ...{ unfinished: 'A is cut. C is cut.', simulated: true, prompts: 13, blocked: 3 },
      byDetectors: new Map([['["dlp"]', 3]]),
    });
    expect(joinedEvidence([evidence({}), evidence({})])).not.toHaveProperty('simulated');
  });

  test('are unchanged if there is only one file', () => {
    const only = evidence({});
    expect(joinedEvidence([only])).toBe(only);
  });
});

describe('a policy', () => {
  const LIMITS = [
    ...CATEGORIES.map((name) => `redteam: {limits: [{category: ${name}, max_successful: 1}]}`),
    ...FRAMEWORKS.map((name) => `redteam: {frameworks: {${name}: {max_asr_percent: 1}}}`),
    ...DETECTORS.map((name) => `bulk: {detectors: {${name}: 1}}`),
  ];
  test.each(LIMITS)('knows the names of %s', async (text) => {
    await expect(policyOf(text)).resolves.toMatchObject({ policy: { version: 1 } });
  });
});
