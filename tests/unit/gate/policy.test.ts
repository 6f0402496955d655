import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATEGORIES } from '../../../fixtures/service/red-team/data/attack-library.ts';
import { FRAMEWORKS as SERVED } from '../../../fixtures/service/red-team/data/frameworks.ts';
import { textReader } from '../../../lib/bulk/lines.ts';
import { ServiceError, ValidationError } from '../../../lib/core/errors.ts';
import { gateBulk, gateModel } from '../../../lib/features/gate/gates.ts';
import {
  FRAMEWORKS,
  isIn,
  knownName,
  mayBeIn,
  POLICY_SCHEMA,
  placeIn,
} from '../../../lib/features/gate/policy/policy.ts';
import { readPolicy } from '../../../lib/features/gate/policy/read-policy.ts';
import { withoutOwnKeywords } from '../../../lib/manifest/schema.ts';
import { ALLOWED } from '../../support/answers.ts';
import { failing } from '../../support/exchange.ts';
import { ROOT } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answers, NOW, policyOf, redTeamVerdict } from './support.ts';

const FINGERPRINT = '0123456789abcdef';
const COMPLETE = `# What may go out.
version: 1
redteam:
  max_asr_percent: 5
  fail_on: high
  limits:
    - { category: JAILBREAK, severity: low, max_successful: 0 }
  frameworks:
    OWASP: { max_asr_percent: 10, max_successful: 3 }
model:
  fail_on: blocking
  rules:
    Verified organization: warn
bulk:
  max_blocked: 3
  max_blocked_percent: 1.5
  detectors: { injection: 0 }
accepted:
  - finding: ${FINGERPRINT}
    owner: dana@example.com
    reason: The target repeats only public text.
    expires: 2027-01-31
`;

const acceptance = (changes: string) =>
  `version: 1\naccepted:\n  - {finding: ${FINGERPRINT}, owner: a, reason: b, expires: 2027-01-31${changes}}\n`;

describe('a policy', () => {
  test('is checked by the schema that editors read', () => {
    const { $schema, ...published } = JSON.parse(readFileSync(join(ROOT, 'catalogue', 'policy.schema.json'), 'utf8'));
    expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(withoutOwnKeywords(POLICY_SCHEMA)).toEqual(published);
  });

  test('is read with the lines of its parts', async () => {
    const file = await readPolicy(COMPLETE, 'aisec-policy.yml');
    expect(file.policy).toMatchObject({ redteam: { max_asr_percent: 5 }, bulk: { detectors: { injection: 0 } } });
    expect(placeIn(file, ['redteam', 'fail_on'])).toEqual({
      source: 'aisec-policy.yml:5, redteam.fail_on',
      place: { uri: 'aisec-policy.yml', line: 5 },
    });
    expect(placeIn(file, ['accepted', 0, 'expires']).source).toBe('aisec-policy.yml:22, accepted.0.expires');
  });

  test.each([
    { text: 'redteam: {max_asr_percent: 5}', line: 1, message: 'The document lacks "version".' },
    { text: 'version: 2', line: 1, message: 'version does not take this value.', hint: 'Choices: 1.' },
    {
      text: 'version: "1"',
      line: 1,
      message: 'version does not take "1".',
      hint: 'Write 1 without quotes.',
    },
    { text: 'version: 1\nredtem: {}', line: 2, message: 'redtem is not known.', hint: 'Did you mean "redteam"?' },
    {
      text: 'version: 1\nredteam:\n  fail_on: hihg',
      line: 3,
      message: 'redteam.fail_on does not take "hihg".',
      hint: 'Did you mean "high"?',
    },
    {
      text: 'version: 1\nredteam:\n  max_asr_percent: 101',
      line: 3,
      message: 'redteam.max_asr_percent must be at most 100, not "101".',
    },
    { text: 'version: 1\nbulk:\n  max_blocked: 1.5', line: 3, message: 'bulk.max_blocked must be an integer.' },
    { text: 'version: 1\nbulk:\n  max_blocked: "1"', line: 3, message: 'bulk.max_blocked must be an integer.' },
    {
      text: 'version: 1\nredteam:\n  limits:\n    - severity: low\n',
      line: 4,
      message: 'redteam.limits.0 lacks "max_successful".',
    },
    {
      text: 'version: 1\nmodel:\n  rules:\n    No code: ignore',
      line: 4,
      message: 'model.rules.No code does not take "ignore".',
    },
    { text: acceptance('').replace(', owner: a', ''), line: 3, message: 'accepted.0 lacks "owner".' },
    {
      text: acceptance('').replace(FINGERPRINT, 'ABC'),
      line: 3,
      message: 'accepted.0.finding must be the fingerprint of a finding',
    },
    {
      text: acceptance('').replace('01-31', '02-30'),
      line: 3,
      message: 'accepted.0.expires is no day of the calendar: 2027-02-30.',
    },
    {
      text: acceptance('').replace('expires: 2027-01-31', 'expires: never'),
      line: 3,
      message: 'accepted.0.expires must be a date such as 2027-01-31',
    },
    {
      text: acceptance('') + (acceptance('').split('\n')[2] ?? ''),
      line: 4,
      message: `accepted.1.finding is accepted twice: ${FINGERPRINT}.`,
    },
  ])('is refused: $message', async ({ text, line, message, hint = '' }) => {
    const error = await failing(readPolicy(text, 'p.yml'));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message.replace(/:\d+: /g, ': ')).toContain(`p.yml:${line}: ${message}`);
    expect(error.hint ?? '').toContain(hint);
  });

  test('reports all problems together, in the order of their lines', async () => {
    const error = await failing(readPolicy('version: 3\nbulk: {max_blocked: -1}\nredteam: {fail_on: bad}\n', 'p.yml'));
    expect(error.message.match(/p\.yml:\d/g)).toEqual(['p.yml:1', 'p.yml:2', 'p.yml:3']);
  });

  test.each([
    ['__proto__: {max_asr_percent: 100}\nversion: 1', '__proto__ is not known'],
    ['version: 1\nmodel:\n  rules: {__proto__: fail, constructor: none}', 'does not take "none"'],
    ['[]', 'is not a policy'],
    ['a: *b', 'not valid YAML|is not a policy'],
    [`version: 1\naccepted: ${'['.repeat(5000)}`, 'nested deeper|not valid YAML|must be'],
  ])('from an attacker is refused in bounded time: %j', async (text, message) => {
    expect((await failing(readPolicy(text, 'p.yml'))).message).toMatch(new RegExp(message));
    expect(({} as { max_asr?: number }).max_asr).toBeUndefined();
  });
});

describe('a name in a policy', () => {
  scenario.each([
    {
      text: 'bulk:\n  detectors:\n    injction: 0',
      at: '4:5',
      message: 'bulk.detectors.injction is not known.',
      hint: 'Did you mean "injection"?',
    },
    { text: 'bulk: {detectors: {Injection: 0}}', at: '2:20', hint: 'Did you mean "injection"?' },
    {
      text: 'redteam:\n  limits:\n    - {category: JAILBRAKE, max_successful: 0}',
      at: '4:8',
      message: 'redteam.limits.0.category does not take "JAILBRAKE".',
      hint: 'Did you mean "JAILBREAK"?',
    },
    { text: 'redteam: {limits: [{category: SECURTY, max_successful: 0}]}', at: '2:21', hint: '"SECURITY"' },
    { text: 'redteam: {limits: [{category: OWASP, max_successful: 0}]}', at: '2:21', message: 'does not take "OWASP"' },
    { text: 'redteam: {limits: [{severity: hihg, max_successful: 0}]}', at: '2:21', hint: '"high"' },
    { text: 'redteam:\n  frameworks:\n    OWAPS: {max_successful: 0}', at: '4:5', hint: 'Did you mean "OWASP"?' },
    { text: 'redteam:\n  max_asr_precent: 5', at: '3:3', hint: 'Did you mean "max_asr_percent"?' },
  ])(
    'policy-names',
    'that is unknown is an error with line, column and near name: $text',
    async (row: { text: string; at: string; message?: string; hint?: string }) => {
      const { text, at, message = '', hint } = row;
      const error = await failing(readPolicy(`version: 1\n${text}`, 'p.yml'));
      expect(error.message).toContain(`p.yml:${at}: `);
      expect(error.message).toContain(message);
      expect(error.hint ?? '').toContain(hint ?? '');
    },
  );

  scenario.each([
    { text: 'redteam: {limits: []}', message: 'redteam.limits must have at least 1 entry.' },
    { text: 'redteam: {frameworks: {}}', message: 'redteam.frameworks is empty.' },
    { text: 'redteam: {frameworks: {OWASP: {}}}', message: 'redteam.frameworks.OWASP is empty.' },
    { text: 'redteam: {limits: [{category: JAILBREAK}]}', message: 'redteam.limits.0 lacks "max_successful".' },
    { text: 'bulk: {detectors: {}}', message: 'bulk.detectors is empty.' },
    { text: 'model: {rules: {}}', message: 'model.rules is empty.' },
    { text: 'redteam: {limits: }', message: 'redteam.limits must be an array.' },
  ])('policy-names', 'of an empty limit is an error: $text', async ({ text, message }) => {
    expect((await failing(readPolicy(`version: 1\n${text}`, 'p.yml'))).message).toContain(message);
  });

  scenario.each([
    { text: 'redteam:\n  <<: {max_asr_percent: 100}', at: '3:3' },
    { text: 'redteam:\n  frameworks: &all {OWASP: {max_successful: 1}}\nbulk:\n  detectors:\n    <<: *all', at: '6:5' },
    { text: '"<<": {bulk: {max_blocked: 9}}', at: '2:1' },
    { text: '? !!merge <<\n: {bulk: {max_blocked: 9}}', at: '2:' },
  ])('yaml-11', 'that merges another mapping is refused: $text', async ({ text, at }) => {
    const error = await failing(readPolicy(`version: 1\n${text}`, 'p.yml'));
    expect(error.message).toContain(`p.yml:${at}`);
    expect(error.message).toContain('merge keys (<<) are not supported');
  });

  test.each(['JAILBREAK', 'jailbreak', 'Prompt injection', 'hate-toxic abuse', 'security'])(
    'may be written as %s',
    async (category) => {
      const file = await readPolicy(
        `version: 1\nredteam: {limits: [{category: ${category}, max_successful: 0}]}`,
        'p.yml',
      );
      expect(file.policy.redteam?.limits?.[0]?.category).toMatch(/^[A-Z_]+$/);
    },
  );

  test('covers the sub-categories and frameworks of the service', () => {
    const attacks = CATEGORIES.flatMap(({ id, subCategories }) => subCategories.map((sub) => ({ id, sub: sub.id })));
    const others = ({ id, sub }: { id: string; sub: string }) =>
      CATEGORIES.filter((other) => other.id !== id && (isIn(other.id, [sub]) || mayBeIn(other.id, [sub])));
    expect(attacks.filter(({ id, sub }) => !isIn(id, ['NEW', sub]) || !isIn(sub, [id, sub]))).toEqual([]);
    expect(attacks.flatMap(others)).toEqual([]);
    expect([...FRAMEWORKS].sort()).toEqual(SERVED.map(({ id }) => id).sort());
  });

  test.each([
    ['tool_misuse', 'TOOL_MISUSE'],
    ['Tool - misuse', 'TOOL_MISUSE'],
    [' Tool misuse.', 'TOOL_MISUSE'],
    ['(Tool misuse)', 'TOOL_MISUSE'],
    ['toolmisuse', undefined],
    ['tool misuse 2', undefined],
    ['', undefined],
  ])('is known by its letters and digits: %j', (text, known) => {
    expect(knownName(text, ['TOOL_CHAINING', 'TOOL_MISUSE'])).toBe(known);
  });

  test.each<[category: string, labels: readonly string[], mayBe: boolean]>([
    ['JAILBREAK', [], true],
    ['JAILBREAK', [' ', 'security'], true],
    ['JAILBREAK', ['SECURITY', 'Evasion'], false],
    ['JAILBREAK', ['NEW'], false],
    ['JAILBREAK', ['JAILBREAK'], false],
    ['SECURITY', [], true],
    ['SECURITY', [' ', 'NEW'], true],
    ['SECURITY', ['NEW', 'safety'], false],
    ['SECURITY', ['NEW', 'Tool misuse'], false],
    ['SECURITY', ['Jailbreak', 'NEW'], false],
  ])('leaves open whether %s has the labels %j: %j', (category, labels, mayBe) => {
    expect(mayBeIn(category, labels)).toBe(mayBe);
  });

  test('is located by the spelling of the file', async () => {
    const text = 'version: 1\nredteam:\n  frameworks: {nist: {max_successful: 1}, owasp: {max_successful: 2}}';
    const file = await readPolicy(text, 'p.yml');
    expect(file.policy.redteam).toEqual({
      frameworks: { NIST: { max_successful: 1 }, OWASP: { max_successful: 2 } },
    });
    expect(file.spelled(['model', 'rules', 'OWASP'])).toEqual(['model', 'rules', 'OWASP']);
    expect(placeIn(file, ['redteam', 'frameworks', 'OWASP', 'max_successful']).source).toBe(
      'p.yml:3, redteam.frameworks.owasp.max_successful',
    );
  });

  test.each([
    [
      'redteam: {frameworks: {owasp: {max_successful: 9}, OWASP: {max_successful: 1}}}',
      'redteam.frameworks.owasp is the same as OWASP',
    ],
    [
      'redteam: {frameworks: {owasp: {max_successful: 9}, Owasp: {max_successful: 1}}}',
      'redteam.frameworks.Owasp is the same as OWASP',
    ],
    ['redteam: {"max_asr_percent": 5, "\\u006dax_asr_percent": 99}', 'must be unique'],
  ])('is refused if it appears twice: %s', async (text, message) => {
    const error = await failing(readPolicy(`version: 1\n${text}`, 'p.yml'));
    expect(error.message).toContain(`p.yml:2:`);
    expect(error.message).toContain(message);
  });
});

describe('a rule of a model policy', () => {
  const RULES = [{ name: 'Verified organization' }, { name: 'Load time code execution' }];
  const decided = async (rules: string, known: unknown = RULES) => {
    const ask = answers({
      'aisec-model-security-scans-get': () => ({ uuid: 'u', model_uri: 'm', eval_outcome: 'ALLOWED' }),
      'aisec-model-security-scans-violations': () => ({ violations: [{ rule_name: 'No code' }] }),
      'aisec-model-security-rules-list': () => known,
    });
    const policy = await policyOf(`model:\n  fail_on: none\n  rules:\n    ${rules}`);
    return gateModel('u', { ask, policy, now: NOW });
  };

  scenario('policy-names', 'that the tenant lacks is an error with line, column and near name', async () => {
    const error = await failing(decided('Verified organisation: fail'));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toContain(
      'aisec-policy.yml:5:5: model.rules.Verified organisation is no rule of the service.',
    );
    expect(error.hint).toContain('Did you mean "Verified organization"?');
  });

  scenario('policy-names', 'cannot be checked without a list of rules, so the gate does not pass', async () => {
    const error = await failing(decided('Verified organisation: fail\n    No such: warn', []));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe('The rules that the policy names cannot be checked: Verified organisation, No such.');
    expect(error.hint).toBe('This is not a pass: compare the names with !aisec-model-security-rules-list.');
  });

  test('unlike any other has the list as its hint', async () => {
    expect((await failing(decided('Zzzzzz: fail'))).hint).toBe('Rules: !aisec-model-security-rules-list.');
  });

  test.each(['Verified organization: fail', 'No code: note'])('is known: %s', async (rules) => {
    expect((await decided(rules)).failed).toBe(false);
  });
});

describe('a limit that holds', () => {
  const attack = (name: string, more: object = {}) => ({
    ...{ uuid: name, prompt: name, severity: 'HIGH', sub_category: 'JAILBREAK' },
    ...more,
  });
  const job = { uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 40 };
  const report = {
    category_reports: [{ category: 'COMPLIANCE', id: 'NIST', techniques: [{ successful: 2, total: 8 }] }],
  };

  scenario.each([
    { limit: 'limits: [{category: JAILBREAK, max_successful: 20}]', used: '1 of at most 20 successful attacks' },
    { limit: 'limits: [{severity: low, max_successful: 2}]', used: '2 of at most 2 successful attacks' },
    { limit: 'max_asr_percent: 60', used: 'ASR 40 % of at most 60 %' },
    {
      limit: 'frameworks: {NIST: {max_successful: 2, max_asr_percent: 30}}',
      used: '2 of at most 2 successful attacks, ASR 25 % of at most 30 %',
    },
  ])('policy-names', 'reports the used part: $limit', async ({ limit, used }) => {
    const attacks = [attack('a'), attack('b', { sub_category: 'BIAS' })];
    const verdict = await redTeamVerdict({ ...job, report }, attacks, {}, await policyOf(`redteam: {${limit}}`));
    expect(verdict).toMatchObject({ failed: false, limits: [{ used }] });
  });

  test.each([
    { limit: 'max_blocked: 2', used: ['1 of at most 2 blocked prompts'] },
    { limit: 'max_blocked_percent: 60', used: ['50 % of at most 60 %'] },
    {
      limit: 'detectors: {dlp: 3}',
      used: ['0 of at most 0 prompts blocked, and not by dlp alone', '1 of at most 3 prompts blocked by dlp'],
    },
  ])('reports the used part: bulk $limit', async ({ limit, used }) => {
    const rows = [
      { row: 1, action: 'block', prompt: 'x', prompt_detected: { dlp: true } },
      { row: 2, ...ALLOWED, prompt: 'y' },
    ];
    const reader = textReader(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const verdict = await gateBulk([{ reader, name: 'r.jsonl' }], {
      policy: await policyOf(`bulk: {${limit}}`),
      now: NOW,
    });
    expect(verdict.limits.map((each) => each.used)).toEqual(used);
  });

  scenario('policy-names', 'does not hide an acceptance that matches nothing', async () => {
    const limits = 'redteam: {max_asr_percent: 60}';
    const accepted = (finding: string) =>
      policyOf(`${limits}\naccepted: [{finding: "${finding}", owner: o, reason: r, expires: 2027-06-01}]`);
    const [found] = (await redTeamVerdict(job, [attack('a')], {}, await policyOf(limits))).findings;
    const fingerprint = found?.fingerprint ?? '';
    const near = `${fingerprint.slice(0, -1)}${fingerprint.endsWith('0') ? '1' : '0'}`;
    expect((await redTeamVerdict(job, [attack('a')], {}, await accepted(fingerprint))).notes).toBeUndefined();
    expect((await redTeamVerdict(job, [attack('a')], {}, await accepted(near))).notes).toEqual([
      `aisec-policy.yml:3, accepted.0 matches no finding of this result: ${near}. Did you mean "${fingerprint}"?`,
    ]);
  });
});
