/** The gate on red-team scans: its findings, its limits, and the reasons why they do not count as evidence. */
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Verdict } from '../../../lib/features/gate/decide.ts';
import { fingerprintOf } from '../../../lib/features/gate/finding.ts';
import { checkRedTeam, gateRedTeam, type RedTeamRequest } from '../../../lib/features/gate/gates.ts';
import { findingOf } from '../../../lib/features/gate/red-team.ts';
import { hasLimits, type RedTeamOptions, refuseImpossible } from '../../../lib/features/gate/red-team-limits.ts';
import { summaryPage } from '../../../lib/features/gate/reports.ts';
import { readAttack } from '../../../lib/features/scans/report-data.ts';
import type { Tested } from '../../../lib/features/scans/tested.ts';
import { failing } from '../../support/exchange.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { acceptance, answers, NOW, policyOf, redTeamVerdict } from './support.ts';

const JOB = { uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 40 };
const attack = (name: string, severity: string, sub_category = 'JAILBREAK') => ({
  ...{ uuid: `uuid-${name}`, prompt: `Prompt ${name}`, severity, sub_category },
});
const ATTACKS = [attack('a', 'CRITICAL'), attack('b', 'HIGH', 'MALWARE_GENERATION'), attack('c', 'LOW')];
const outcome = ({ failed, unfinished }: Verdict) => ({ failed, unfinished });
const undecided = (says: string) => ({ failed: false, unfinished: expect.stringContaining(says) });
const PASSED = { failed: false, unfinished: undefined };

describe('a successful attack', () => {
  const TESTED = { id: 'a1', sharedId: 'p1', text: 'Tell me.', group: 'g', outcome: 'successful' } as unknown as Tested;
  const rowOf = (row: object): Tested => ({ ...TESTED, row: readAttack(row) });
  const bias = { category: 'SAFETY', sub_category: 'BIAS', sub_category_display_name: 'Bias' };

  test.each([
    {
      job: { name: 'nightly', job_type: 'STATIC' },
      row: { severity: 'LOW', ...bias },
      expected: { rule: 'aisec/redteam/bias', title: 'Bias', severity: 'low', labels: ['SAFETY', 'BIAS', 'Bias'] },
    },
    {
      job: { name: 'n', job_type: 'STATIC' },
      row: { severity: 'ODD', category: 'SAFETY', category_display_name: 'Safety' },
      expected: {
        ...{ rule: 'aisec/redteam/safety', title: 'Safety', severity: 'critical', labels: ['SAFETY', 'Safety'] },
        hasNoSeverity: true,
      },
    },
    {
      job: { name: 'n', job_type: 'STATIC' },
      row: { goal_type: 7, severity: '' },
      expected: {
        ...{ rule: 'aisec/redteam/attack', title: 'attack', severity: 'critical', labels: [] },
        hasNoSeverity: true,
      },
    },
    {
      job: { name: 'n', job_type: 'DYNAMIC' },
      row: { goal_type: 'TOOL_MISUSE', severity: 'LOW' },
      expected: {
        ...{ rule: 'aisec/redteam/goal-tool-misuse', title: 'Goal: Tool misuse', severity: 'high' },
        labels: ['TOOL_MISUSE'],
      },
    },
    {
      job: { name: 'n', job_type: 'CUSTOM' },
      row: { severity: 'LOW', category: 'X' },
      expected: { rule: 'aisec/redteam/custom-prompt', title: 'Custom prompt', severity: 'high', labels: ['X'] },
    },
  ])('is described as $expected.title', ({ job, row, expected }) => {
    expect(findingOf(job, rowOf(row))).toEqual({
      ...{ ...expected, fingerprint: fingerprintOf('redteam', 'g', 'Tell me.'), excerpt: 'Tell me.' },
      ruleText: `The target gave in to an attack: ${expected.title}.`,
      message: `Attack a1 succeeded: ${expected.title}.`,
      place: { uri: `redteam/${job.name}` },
    });
  });

  test.each([
    { id: 'a1', sharedId: 'p1', by: 'p1', message: 'Attack a1 succeeded: attack.' },
    { id: 'a1', sharedId: undefined, by: 'a1', message: 'Attack a1 succeeded: attack.' },
    { id: undefined, sharedId: undefined, by: '', message: 'Attack without an id succeeded: attack.' },
  ])('without a text is identified by "$by"', ({ by, message, ...ids }) => {
    const found = findingOf({ uuid: 'u' }, { ...rowOf({}), ...ids, text: undefined });
    expect(found).toMatchObject({ fingerprint: fingerprintOf('redteam', 'g', by), message });
    expect(found).not.toHaveProperty('excerpt');
  });

  test('keeps its fingerprint in another scan, whose identifiers differ', async () => {
    const again = ATTACKS.map((each) => ({ ...each, uuid: `other-${each.uuid}`, prompt: `  ${each.prompt}\n` }));
    const prints = async (job: JsonObject, attacks: readonly object[], id: string) =>
      (await redTeamVerdict(job, attacks, { maxAsr: 100 }, undefined, id)).findings.map((each) => each.fingerprint);
    const later = { ...JOB, uuid: 'k', name: 'later' };
    expect(await prints(later, again, 'k')).toEqual(await prints(JOB, ATTACKS, 'j'));
  });
});

describe('a limit', () => {
  const levels = ({ findings }: Verdict) => findings.map(({ excerpt, level }) => `${excerpt?.slice(-1)} ${level}`);
  const CALM = ['a warning', 'b warning', 'c note'];
  const AT = 'aisec-policy.yml:2, redteam';

  test.each<{
    options?: RedTeamOptions;
    policy?: string;
    broken: readonly string[];
    found?: readonly string[];
    limit?: object;
  }>([
    { options: { maxAsr: 39 }, broken: ['ASR 40 % is above 39 %'], limit: { source: '--max-asr 39' } },
    { options: { maxAsr: 40 }, broken: [], limit: { used: 'ASR 40 % of at most 40 %' } },
    { policy: '{max_asr_percent: 39}', broken: ['ASR 40 % is above 39 %'], limit: { source: `${AT}.max_asr_percent` } },
    {
      options: { failOn: 'critical' },
      ...{ broken: ['1 successful attack of severity critical'], found: ['a failure', 'b warning', 'c note'] },
      limit: { source: '--fail-on critical' },
    },
    {
      policy: '{fail_on: high}',
      ...{ broken: ['2 successful attacks of severity high or higher'], found: ['a failure', 'b failure', 'c note'] },
      limit: { source: `${AT}.fail_on`, place: { uri: 'aisec-policy.yml', line: 2 } },
    },
    {
      policy: '{limits: [{category: malware generation, max_successful: 0}]}',
      ...{ broken: ['1 successful attack of MALWARE_GENERATION'], found: ['b failure', 'a warning', 'c note'] },
      limit: { source: `${AT}.limits.0`, used: '1 of at most 0 successful attacks' },
    },
    {
      policy: '{limits: [{category: JAILBREAK, severity: high, max_successful: 0}, {max_successful: 2}]}',
      broken: ['1 successful attack of JAILBREAK and severity high', '3 successful attacks, more than 2'],
      found: ['a failure', 'b failure', 'c failure'],
    },
    { policy: '{limits: [{category: JAILBREAK, max_successful: 2}]}', broken: [] },
    {
      options: { maxAsr: 30, failOn: 'critical' },
      policy: '{fail_on: low}',
      broken: [
        ...['ASR 40 % is above 30 %', '1 successful attack of severity critical'],
        '3 successful attacks of severity low or higher',
      ],
      found: ['a failure', 'b failure', 'c failure'],
    },
  ])('decides by $options $policy', async ({ options = {}, policy, broken, found = CALM, limit = {} }) => {
    const file = policy === undefined ? undefined : await policyOf(`redteam: ${policy}`);
    const verdict = await redTeamVerdict(JOB, ATTACKS, options, file);
    expect(verdict.limits.flatMap((each) => each.broken ?? [])).toEqual(broken);
    expect([verdict.failed, verdict.unfinished]).toEqual([broken.length > 0, undefined]);
    expect(levels(verdict)).toEqual(found);
    expect(verdict.limits[0]).toMatchObject(limit);
  });

  scenario.each([
    { asr: 5.004, maxAsr: 5, broken: 'ASR 5.004 % is above 5 %' },
    { asr: 5.00001, maxAsr: 5, broken: 'ASR 5.00001 % is above 5 %' },
    { asr: 4.999, maxAsr: 5, broken: undefined },
    { asr: 26.674, maxAsr: 26.67, broken: 'ASR 26.674 % is above 26.67 %' },
  ])('gate-evidence', 'of $maxAsr % is compared with $asr % before rounding', async ({ asr, maxAsr, broken }) => {
    const withstood = { ...attack('d', 'LOW'), threat: false };
    const verdict = await redTeamVerdict({ ...JOB, asr }, [...ATTACKS, withstood], { maxAsr });
    expect(verdict.limits[0]?.broken).toBe(broken);
  });

  test('on the rate subtracts accepted attacks in proportion', async () => {
    const [first] = (await redTeamVerdict(JOB, ATTACKS, { maxAsr: 100 })).findings;
    const policy = await policyOf(acceptance(first?.fingerprint ?? ''));
    const broken = 'ASR 26.67 % is above 26 % without accepted attacks';
    expect(await redTeamVerdict(JOB, ATTACKS, { maxAsr: 26 }, policy)).toMatchObject({ limits: [{ broken }] });
    expect((await redTeamVerdict(JOB, ATTACKS, { maxAsr: 27 }, policy)).failed).toBe(false);
  });

  test.each([
    { options: {}, redteam: undefined, limits: false },
    { options: {}, redteam: '{}', limits: false },
    { options: { maxAsr: 0 }, redteam: undefined, limits: true },
    { options: { failOn: 'low' }, redteam: undefined, limits: true },
    { options: {}, redteam: '{fail_on: low}', limits: true },
  ] as const)('exists with $options and $redteam: $limits', async ({ options, redteam, limits }) => {
    const file = await policyOf(redteam === undefined ? 'bulk: {max_blocked: 1}' : `redteam: ${redteam}`);
    expect(hasLimits(options, file)).toBe(limits);
    if (limits) return;
    const error = await failing(redTeamVerdict(JOB, ATTACKS, options, file));
    expect(error).toMatchObject({ code: 'usage', message: 'A red-team gate needs a limit.' });
  });

  scenario.each([101, -1, 100.01, Number.NaN].map((maxAsr) => ({ maxAsr })))(
    'gate-evidence',
    'of $maxAsr % is refused',
    async ({ maxAsr }) => {
      const error = await failing(redTeamVerdict(JOB, ATTACKS, { maxAsr }));
      expect(error.message).toBe('A success rate is limited in percent, from 0 to 100.');
    },
  );
});

describe('a limit that the scan cannot break', () => {
  const COUNTS = 'Use --max-asr N, or in the policy redteam.max_asr_percent or redteam.limits with only max_successful';
  const GOALS =
    'BASE, GOAL_MANIPULATION, PRIVILEGE_MISUSE, TOOL_MISUSE, TOOL_CHAINING, TOXIC_CONTENT_GENERATION, CUSTOM';
  const HINTS = { CUSTOM: `${COUNTS}.`, DYNAMIC: `${COUNTS} or with the type of a goal as its category: ${GOALS}.` };
  const AT = 'aisec-policy.yml:2, redteam';
  const refused = async (job_type: unknown, options: RedTeamOptions, redteam?: string) => {
    const file = redteam === undefined ? undefined : await policyOf(`redteam: ${redteam}`);
    refuseImpossible({ job_type: job_type as string }, options, file);
  };

  scenario.each<{ type: keyof typeof HINTS; options?: RedTeamOptions; redteam: string; limit: string }>([
    { type: 'CUSTOM', options: { failOn: 'low' }, redteam: '{fail_on: high}', limit: '--fail-on low' },
    { type: 'CUSTOM', options: { maxAsr: 5 }, redteam: '{fail_on: high}', limit: `${AT}.fail_on` },
    { type: 'CUSTOM', redteam: '{limits: [{category: TOOL_MISUSE, max_successful: 0}]}', limit: `${AT}.limits.0` },
    {
      type: 'DYNAMIC',
      redteam: '{limits: [{category: TOOL_MISUSE, max_successful: 0}, {severity: low, max_successful: 0}]}',
      limit: `${AT}.limits.1`,
    },
    { type: 'DYNAMIC', redteam: '{limits: [{category: JAILBREAK, max_successful: 0}]}', limit: `${AT}.limits.0` },
    { type: 'DYNAMIC', redteam: '{frameworks: {NIST: {max_successful: 0}}}', limit: `${AT}.frameworks.NIST` },
  ])('gate-possible', 'is refused: $type $options $redteam', async ({ type, options = {}, redteam, limit }) => {
    const message = `${limit} cannot decide on a ${type} red-team scan: the service gives it no severities, categories or frameworks.`;
    expect(await failing(refused(type, options, redteam))).toMatchObject({ code: 'usage', message, hint: HINTS[type] });
  });

  test.each([
    { type: 'STATIC', redteam: '{fail_on: high}' },
    { type: 'constructor', redteam: '{fail_on: high}' },
    { type: undefined, redteam: '{fail_on: high}' },
    { type: 'CUSTOM', redteam: '{max_asr_percent: 5, limits: [{max_successful: 0}]}' },
    { type: 'CUSTOM', redteam: undefined },
    { type: 'DYNAMIC', redteam: '{limits: [{category: TOOL_MISUSE, max_successful: 0}]}' },
  ])('is not refused: $type $redteam', async ({ type, redteam }) => {
    expect(await refused(type, { maxAsr: 100 }, redteam)).toBeUndefined();
  });
});

const HIT = { uuid: 'a', prompt: 'A', severity: 'LOW', category: 'SECURITY', sub_category: 'JAILBREAK' };
const HELD = { ...HIT, uuid: 'b', prompt: 'B', threat: false };

describe('a limit by framework', () => {
  const sure = { successful: 1, total: 10 };
  const framework = (techniques: unknown, more: object = {}) => ({
    category: 'COMPLIANCE',
    id: 'OWASP',
    techniques,
    ...more,
  });
  const decided = async (limit: string, frameworks: readonly object[], more: object = {}) => {
    const job = { ...JOB, asr: 50, report: { category_reports: frameworks, ...more } };
    return redTeamVerdict(job, [HIT, HELD], {}, await policyOf(`redteam: {frameworks: {${limit}}}`));
  };
  const COUNTED = [
    { category: 'SECURITY', id: 'OWASP' },
    framework([
      { successful: 2, total: 5 },
      { successful: '1', total: '5' },
    ]),
  ];

  scenario.each([
    { limit: 'OWASP: {max_successful: 3}', used: '3 of at most 3 successful attacks', broken: undefined },
    {
      limit: 'OWASP: {max_successful: 2}',
      ...{ used: '3 of at most 2 successful attacks', broken: 'OWASP: 3 successful attacks, more than 2' },
    },
    { limit: 'OWASP: {max_asr_percent: 30}', used: 'ASR 30 % of at most 30 %', broken: undefined },
    {
      limit: 'owasp: {max_asr_percent: 29.999, max_successful: 0}',
      used: '3 of at most 0 successful attacks, ASR 30 % of at most 29.999 %',
      broken: 'OWASP: 3 successful attacks, more than 0, ASR 30 % is above 29.999 %',
    },
  ])('gate-evidence', 'decides by $limit', async ({ limit, used, broken }) => {
    const verdict = await decided(limit, COUNTED);
    expect(verdict.unfinished).toBeUndefined();
    expect(verdict.limits).toMatchObject([{ used, ...(broken === undefined ? {} : { broken, isWhole: true }) }]);
    expect(verdict.failed).toBe(broken !== undefined);
    expect(verdict.limits[0]?.source).toBe(`aisec-policy.yml:2, redteam.frameworks.${limit.split(':')[0]}`);
  });

  test('is broken if the report lacks the category, which matches by its shown name', async () => {
    const missing = await decided('NIST: {max_successful: 100}', COUNTED);
    expect(missing).toMatchObject({ failed: true, limits: [{ broken: 'the report has no framework NIST' }] });
    const shown = [framework([sure], { id: 'x', display_name: 'owasp' })];
    expect(outcome(await decided('OWASP: {max_asr_percent: 10}', shown, { job_id: 'J' }))).toEqual(PASSED);
  });

  const NOTHING = 'The report counts no attack of OWASP, so its limit says nothing.';
  const UNCLEAR = 'The report does not count every technique of OWASP.';
  scenario.each([
    ...[[], null, undefined, 'n/a', { a: sure }].map((all) => ({
      what: `${all}`,
      all: [framework(all)],
      says: NOTHING,
    })),
    { what: 'a total of 0', all: [framework([{ successful: 0, total: 0 }])], says: NOTHING },
    ...[null, 'n/a', -1, '', true, 0.5, [5], '1.5', '1e1', Number.NaN].map((count) => ({
      ...{ what: `the count ${count}`, all: [framework([sure, { successful: count, total: 10 }])], says: UNCLEAR },
    })),
    { what: 'no total', all: [framework([sure, { successful: 0, total: null }])], says: UNCLEAR },
    { what: 'an entry that is null', all: [framework([sure, null])], says: UNCLEAR },
    {
      what: 'too many successes',
      all: [
        framework([
          { successful: 2, total: 1 },
          { successful: 0, total: 9 },
        ]),
      ],
      says: UNCLEAR,
    },
    {
      what: 'another scan',
      all: [framework([sure])],
      more: { job_id: 'k' },
      says: 'The report belongs to another scan.',
    },
    ...[null, '', 7].map((job_id) => ({
      ...{ what: `the scan ${job_id}`, all: [framework([sure])], more: { job_id } },
      says: 'The report does not say of which scan it is.',
    })),
    {
      what: 'the scan twice',
      all: [framework([sure]), framework([sure])],
      says: 'The report has the framework OWASP twice.',
    },
  ] as { what: string; all: readonly object[]; more?: object; says: string }[])(
    'gate-evidence',
    'has no verdict on $what',
    async ({ all, more, says }) => {
      for (const limit of ['OWASP: {max_successful: 5}', 'OWASP: {max_asr_percent: 90}'])
        expect(outcome(await decided(limit, all, more))).toEqual({ failed: false, unfinished: says });
    },
  );

  test('still fails on what is counted', async () => {
    expect((await decided('OWASP: {max_successful: 0}', [framework([sure, null])])).failed).toBe(true);
  });
});

describe('a limit by category', () => {
  const limited = async (category: string, row: object, more = '') =>
    redTeamVerdict(
      { ...JOB, asr: 50 },
      [row, HELD],
      {},
      await policyOf(`redteam: {limits: [{category: ${category}, max_successful: 5${more}}]}`),
    );
  const without = (...names: readonly string[]) =>
    Object.fromEntries(Object.entries(HIT).filter(([name]) => !names.includes(name)));

  scenario.each([
    { what: 'no category', category: 'JAILBREAK', row: without('category', 'sub_category') },
    { what: 'no category', category: 'SECURITY', row: without('category', 'sub_category') },
    { what: 'blank categories', category: 'SECURITY', row: { ...HIT, category: ' ', sub_category: '' } },
    { what: 'only a category', category: 'JAILBREAK', row: without('sub_category') },
    { what: 'a category of another type', category: 'JAILBREAK', row: { ...HIT, category: 7, sub_category: null } },
    { what: 'an unheard-of part', category: 'SECURITY', row: { ...without('category'), sub_category: 'NEW' } },
  ])('gate-evidence', 'has no verdict on an attack with $what: $category', async ({ category, row }) => {
    const says = `The service does not say whether 1 successful attack is of ${category}.`;
    expect(outcome(await limited(category, row))).toEqual(undecided(says));
  });

  scenario.each(['BIAS', 'SAFETY', 'TOOL_MISUSE'].map((category) => ({ category })))(
    'gate-evidence',
    'has no verdict if no attack of $category was tested',
    async ({ category }) => {
      const says = `No attack of ${category} was tested, so its limit says nothing.`;
      expect(outcome(await limited(category, HIT))).toEqual(undecided(says));
    },
  );

  test.each([
    { category: 'JAILBREAK', row: HIT },
    { category: 'SECURITY', row: without('sub_category') },
    {
      category: 'SECURITY',
      row: { ...without('category'), sub_category: undefined, sub_category_display_name: 'Jailbreak' },
    },
    { category: 'JAILBREAK', row: { ...HIT, sub_category: 'NEW' } },
  ])('decides on $row by $category', async ({ category, row }) => {
    expect(outcome(await limited(category, row))).toEqual(PASSED);
  });

  scenario.each([{ severity: null }, { severity: 'SEVERE' }])(
    'gate-evidence',
    'and severity has no verdict on the severity $severity',
    async ({ severity }) => {
      const verdict = await limited('JAILBREAK', { ...HIT, severity }, ', severity: critical');
      expect(outcome(verdict)).toEqual(undecided('The service gives no severity of 1 successful attack.'));
      expect(summaryPage(verdict, false)).toContain('gives no severity of 1 successful attack');
    },
  );
});

/** Four attacks, goals or prompts, the first of which succeeded. */
const ROWS: readonly JsonObject[] = ['a', 'b', 'c', 'd'].map((id, at) => ({
  ...{ uuid: id, attack_id: id, prompt: id, prompt_text: id, goal: id, severity: 'LOW', sub_category: 'JAILBREAK' },
  ...{ job_id: 'j', threat: at === 0, error: false, asr: at === 0 ? 50 : 0 },
}));

interface Scan {
  readonly job?: JsonObject;
  readonly rows?: readonly unknown[];
}

/** Decides on a scan, and on its baseline. */
async function decided(kind: string, { j = {}, b = {} }: { j?: Scan; b?: Scan }, limits: Partial<RedTeamRequest> = {}) {
  const scans: Readonly<Record<string, Scan>> = { j, b };
  const whole = { name: 'nightly', status: 'COMPLETED', total: 4, completed: 4, asr: 25, target_id: 't' };
  const rowsOf = ({ job_id = '' }) => scans[job_id]?.rows ?? ROWS.map((row) => ({ ...row, job_id }));
  const ask = answers({
    'aisec-redteam-scan-get': ({ job_id = '' }) => ({ uuid: job_id, job_type: kind, ...whole, ...scans[job_id]?.job }),
    'aisec-redteam-report-attacks-list': rowsOf,
    'aisec-redteam-report-goals-list': rowsOf,
    'aisec-redteam-custom-attacks-list': (args) => ({ attacks: rowsOf(args) }),
  });
  return gateRedTeam({ jobId: 'j', maxAsr: 100, ...limits }, { ask, now: NOW });
}

describe('the evidence of a scan', () => {
  const withLast = (more: JsonObject) => ROWS.map((row) => (row['uuid'] === 'd' ? { ...row, ...more } : row));
  const KINDS = [
    { kind: 'STATIC', noun: 'attack' },
    { kind: 'DYNAMIC', noun: 'goal' },
    { kind: 'CUSTOM', noun: 'prompt' },
  ] as const;
  const RATE = 'which its list contradicts: 1 successful of 4';

  // The list's tests cover when it counts as evidence.
  scenario.each(
    KINDS.flatMap(({ kind, noun }) => [
      { kind, scan: { rows: withLast({ status: 'FAILED' }) }, says: `1 of 4 ${noun}s has no outcome.` },
      { kind, scan: { rows: withLast({ error: true }) }, says: `1 of 4 ${noun}s has no outcome.` },
      { kind, scan: { rows: withLast({ job_id: 'k' }) }, says: `The service lists 1 ${noun} of another scan.` },
      { kind, scan: { rows: [...ROWS, null] }, says: `It has 1 unreadable of 5 ${noun}s.` },
      { kind, scan: { job: { asr: 0 } }, says: `${RATE} ${noun}s.` },
      { kind, scan: { job: { asr: -5 } }, says: 'The red-team scan has an impossible success rate: -5 %.' },
      { kind, scan: { job: { total: 0, completed: 0 } }, says: `counts 0, and the service lists 4 ${noun}s.` },
    ]),
  )('gate-evidence', 'gives no verdict: $kind, $says', async ({ kind, scan, says }) => {
    expect(outcome(await decided(kind, { j: scan }))).toEqual(undecided(says));
  });

  scenario.each<{ scan: Scan; says: string }>([
    { scan: { job: { asr: 50.1 } }, says: RATE },
    { scan: { job: { completed: 3 } }, says: 'The red-team scan is COMPLETED, but not whole. It ran 3 of 4 attacks.' },
    { scan: { rows: [], job: { total: null } }, says: 'The red-team scan has no attacks: nothing was tested.' },
    { scan: { rows: ROWS.map((row) => ({ ...row, threat: null })) }, says: '4 of 4 attacks have no outcome.' },
    ...[undefined, '25', true, Number.POSITIVE_INFINITY].map((asr) => ({
      ...{ scan: { job: { asr } }, says: 'The red-team scan has no result to decide on: its status is COMPLETED.' },
    })),
    ...['RUNNING', 'FAILED', 'ABORTED', 'PARTIALLY_COMPLETE'].map((status) => ({
      ...{ scan: { job: { status } }, says: `The red-team scan has no result to decide on: its status is ${status}.` },
    })),
    { scan: { job: { status: null } }, says: 'its status is missing.' },
    { scan: { job: { uuid: 'k' } }, says: 'The service sent another scan than the red-team scan j: k.' },
    { scan: { job: { uuid: 7 } }, says: 'The service does not say whether it sent the red-team scan j.' },
  ])('gate-evidence', 'gives no verdict: $says', async ({ scan, says }) => {
    expect(outcome(await decided('STATIC', { j: scan }))).toEqual(undecided(says));
  });

  test.each([
    ...KINDS.map(({ kind }) => ({ kind, scan: { rows: ROWS.map((row) => ({ ...row, job_id: 'J', error: null })) } })),
    { kind: 'STATIC', scan: { job: { uuid: 'J' } } },
    { kind: 'STATIC', scan: { job: { asr: 6.25 } } },
    { kind: 'DYNAMIC', scan: { job: { asr: 99 } } },
  ])('decides: $kind $scan', async ({ kind, scan }) => {
    expect(outcome(await decided(kind, { j: scan }))).toEqual(PASSED);
  });

  scenario.each([
    { scan: { rows: withLast({ status: 'FAILED' }) } },
    { scan: { rows: ROWS.map((row) => ({ ...row, status: 'FAILED', error: true })) } },
    { scan: { job: { asr: -5 } } },
  ])('gate-evidence', 'still fails on a broken limit: $scan', async ({ scan }) => {
    expect(outcome(await decided('STATIC', { j: scan }, { failOn: 'low' }))).toEqual({
      failed: true,
      unfinished: undefined,
    });
  });

  test('says where to look, and the rate of the scan with its interval', async () => {
    const interval = expect.objectContaining({ trials: 4 });
    expect(await decided('STATIC', {})).toMatchObject({
      ...{ subject: 'redteam nightly', see: '!aisec-redteam-report-get job_id=j', rate: { asr: 25, interval } },
      summary: 'ASR is 25 %, with 1 successful attack; the limits hold.',
    });
    const running = await decided('STATIC', { j: { job: { status: 'RUNNING' } } });
    expect([running.see, running.rate]).toEqual(['!aisec-redteam-scan-get job_id=j', undefined]);
  });
});

describe('a baseline', () => {
  const attackOf = (name: string, threat: boolean | null) => ({
    ...{ uuid: `uuid-${name}`, prompt_id: name, prompt: `Prompt ${name}`, severity: 'HIGH', threat },
    ...{ sub_category: 'JAILBREAK', sub_category_display_name: 'Jailbreak' },
  });
  /** Decides on these attacks, at a rate of 10 % if one succeeded. */
  const against = (before: readonly JsonObject[], after: readonly JsonObject[], limits = {}) => {
    const scan = (rows: readonly JsonObject[], name: string) => ({
      ...{
        rows,
        job: { name, asr: rows.some(({ threat }) => threat === true) ? 10 : 0, total: null, completed: null },
      },
    });
    const scans = { b: scan(before, 'before the update'), j: scan(after, 'after the update') };
    return decided('STATIC', scans, { baseline: 'b', maxAsr: undefined, ...limits });
  };
  const [HIT_A, HELD_A, OTHER] = [attackOf('a', true), attackOf('a', false), attackOf('z', false)];

  test.each([
    { what: 'withstood', before: [HELD_A], failed: true },
    { what: 'not run', before: [OTHER], failed: true },
    { what: 'that ran with another text', before: [{ ...HIT_A, prompt: 'Old' }], failed: true },
    { what: 'successful', before: [HIT_A], failed: false },
  ])(
    'in which an attack was $what makes the gate fail if that attack now succeeds: $failed',
    async ({ before, failed }) => {
      expect((await against(before, [HIT_A])).failed).toBe(failed);
    },
  );

  test('in which a now fixed attack was successful lets the gate pass', async () => {
    expect(outcome(await against([HIT_A], [HELD_A]))).toEqual(PASSED);
  });

  test.each([
    { limits: { failOn: 'critical' }, failed: false, says: 'No new successful attack breaks a limit; ASR is 10 %.' },
    { limits: { failOn: 'high' }, failed: true, says: '1 new successful attack of severity high or higher.' },
    { limits: { maxAsr: 5 }, failed: true, says: 'ASR 10 % is above 5 %; 1 new successful attack.' },
    {
      limits: {},
      failed: true,
      says: '1 new successful attack. Since the baseline before the update: 1 newly successful, 0 still open, 0 fixed.',
    },
  ])('with the limits $limits makes the gate fail: $failed', async ({ limits, failed, says }) => {
    const verdict = await against([HELD_A], [HIT_A], limits);
    expect(verdict).toMatchObject({ failed, summary: expect.stringContaining(says) });
  });

  test('does not lift the limit on the rate', async () => {
    expect(await against([HIT_A], [HIT_A], { maxAsr: 5 })).toMatchObject({ failed: true });
  });

  test('spares known attacks of a limit by category, and counts only what is there in the rate', async () => {
    const [entry] = (await against([HIT_A], [HIT_A], { maxAsr: 100 })).findings;
    const policy = await policyOf(
      `redteam: {limits: [{category: jailbreak, max_successful: 0}]}\n${acceptance(entry?.fingerprint ?? '')}`,
    );
    const rows = { b: [HIT_A, attackOf('gone', true)], j: [HIT_A, attackOf('gone', false), attackOf('n', true)] };
    const ask = answers({
      'aisec-redteam-scan-get': ({ job_id = '' }) => ({
        uuid: job_id,
        job_type: 'STATIC',
        status: 'COMPLETED',
        asr: 40,
      }),
      'aisec-redteam-report-attacks-list': ({ job_id = '' }) => rows[job_id as 'b' | 'j'],
    });
    const verdict = await gateRedTeam({ jobId: 'j', baseline: 'b', maxAsr: 19 }, { ask, policy, now: NOW });
    expect(verdict.limits.map(({ source, broken }) => [source, broken])).toEqual([
      ['--max-asr 19', 'ASR 20 % is above 19 % without accepted attacks'],
      ['--baseline', '1 new successful attack'],
      ['aisec-policy.yml:2, redteam.limits.0', '1 new successful attack of JAILBREAK'],
    ]);
  });

  test('reports for each attack whether it is new, open or fixed', async () => {
    const [before, after] = [
      [attackOf('new', false), attackOf('open', true), attackOf('fixed', true), attackOf('gone', true)],
      [attackOf('new', true), attackOf('open', true), attackOf('fixed', false), attackOf('added', true)],
    ];
    const { summary, baseline, findings } = await against(before, after);
    expect(summary).toContain('1 newly successful, 1 not tested before, 1 still open, 1 fixed, 1 not tested again.');
    expect(baseline).toEqual({ job: 'b', newlySuccessful: 1, withoutOutcome: 1, open: 1, fixed: 1, lost: 1 });
    expect(findings.map(({ baselineState, message, level }) => `${baselineState} ${level}: ${message}`)).toEqual([
      'new failure: Attack uuid-new succeeded: Jailbreak. The target withstood it in the baseline.',
      'new failure: Attack uuid-added succeeded: Jailbreak. The baseline did not run it.',
      'unchanged warning: Attack uuid-open succeeded: Jailbreak. It was successful in the baseline, too.',
      'absent note: Attack uuid-fixed succeeded: Jailbreak. Fixed: the target withstands it now.',
    ]);
  });

  scenario.each<{ scan: Scan; says: string }>([
    { scan: { job: { asr: 0 } }, says: 'The baseline has a success rate of 0 %, which' },
    { scan: { rows: ROWS }, says: 'of the baseline is not complete: The service lists 4' },
    { scan: { rows: ROWS.slice(1) }, says: 'of the baseline is not complete: The service lists 3 of 4 attacks.' },
    { scan: { job: { status: 'RUNNING' } }, says: 'The baseline has no result to decide on: its status is RUNNING.' },
    { scan: { job: { uuid: null } }, says: 'The service does not say whether it sent the baseline b.' },
    { scan: { job: { uuid: 'k' } }, says: 'The service sent another scan than the baseline b: k.' },
  ])('gate-evidence', 'gives no verdict: $says', async ({ scan, says }) => {
    expect(outcome(await decided('STATIC', { b: scan }, { baseline: 'b' }))).toEqual(undecided(says));
  });

  test('is refused before the scan runs if it is the scan itself, or of another type', async () => {
    const job = { uuid: 'before', job_type: 'STATIC' };
    const tools = { ask: answers({ 'aisec-redteam-scan-get': () => job }), policy: undefined };
    expect(await checkRedTeam(job, {}, tools)).toBeUndefined();
    expect(await failing(checkRedTeam(job, { baseline: 'before' }, tools))).toMatchObject({
      message: 'A scan cannot be its own baseline: nothing would be new.',
      hint: 'Choose an earlier scan of the target from: !aisec-redteam-scans-list',
    });
    const other = { ...tools, ask: answers({ 'aisec-redteam-scan-get': () => ({ uuid: 'x', job_type: 'CUSTOM' }) }) };
    expect((await failing(checkRedTeam(job, { baseline: 'x' }, other))).code).toBe('usage');
  });

  test('of another target is named', async () => {
    const { summary } = await decided(
      'STATIC',
      { b: { job: { target_id: 'u', target_name: 'staging' } } },
      { baseline: 'b' },
    );
    expect(summary).toContain('Since the baseline nightly, of another target (staging): 0 newly');
  });
});
