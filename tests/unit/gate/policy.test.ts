import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATEGORIES as SERVED_CATEGORIES } from '../../../fixtures/service/red-team/data/attack-library.ts';
import { FRAMEWORKS as SERVED_FRAMEWORKS } from '../../../fixtures/service/red-team/data/categories.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import {
  CATEGORIES,
  FRAMEWORKS,
  isOfCategory,
  knownName,
  mayBeIn,
  POLICY_SCHEMA,
  placeIn,
} from '../../../lib/features/gate/policy/policy.ts';
import { readPolicy } from '../../../lib/features/gate/policy/read-policy.ts';
import { withoutOwnKeywords } from '../../../lib/manifest/schema.ts';
import { DETECTORS } from '../../../lib/runtime/output/detectors.ts';
import { failing } from '../../support/exchange.ts';
import { ROOT } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { acceptance, policyOf } from './support.ts';

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

  const entry = acceptance(FINGERPRINT);
  const twice = `accepted:\n- ${entry.slice(11, -1)}\n- ${entry.slice(11, -1)}`;
  // Problems that the document parser refuses everywhere are tested there.
  scenario.each<{ text: string; at: string; message: string; hint?: string }>([
    { text: 'redtem: {}', at: '2:1', message: 'redtem is not known.', hint: 'Did you mean "redteam"?' },
    { text: 'redteam: {max_asr_precent: 5}', at: '2:', message: '', hint: 'Did you mean "max_asr_percent"?' },
    { text: 'redteam: {fail_on: hihg}', at: '2:', message: 'redteam.fail_on does not take "hihg".', hint: '"high"?' },
    { text: 'bulk: {max_blocked: 1.5}', at: '2:', message: 'bulk.max_blocked must be an integer.' },
    { text: 'bulk: {max_blocked: -1}', at: '2:', message: 'bulk.max_blocked' },
    { text: 'model: {rules: {No code: ignore}}', at: '2:', message: 'model.rules.No code does not take "ignore".' },
    { text: 'model: {rules: {__proto__: fail, constructor: none}}', at: '2:', message: 'does not take "none"' },
    { text: 'bulk:\n  detectors:\n    injction: 0', at: '4:5', message: 'is not known.', hint: 'mean "injection"?' },
    {
      text: 'redteam: {limits: [{category: JAILBRAKE, max_successful: 0}]}',
      at: '2:21',
      message: '',
      hint: '"JAILBREAK"',
    },
    { text: 'redteam: {limits: [{category: OWASP, max_successful: 0}]}', at: '2:21', message: 'does not take "OWASP"' },
    {
      text: 'redteam: {frameworks: {OWAPS: {max_successful: 0}}}',
      at: '2:',
      message: '',
      hint: 'Did you mean "OWASP"?',
    },
    { text: 'redteam: {limits: []}', at: '2:', message: 'redteam.limits must have at least 1 entry.' },
    {
      text: 'redteam: {limits: [{category: JAILBREAK}]}',
      at: '2:',
      message: 'redteam.limits.0 lacks "max_successful".',
    },
    { text: 'redteam: {frameworks: {}}', at: '2:', message: 'redteam.frameworks is empty.' },
    { text: 'redteam: {frameworks: {OWASP: {}}}', at: '2:', message: 'redteam.frameworks.OWASP is empty.' },
    { text: 'bulk: {detectors: {}}', at: '2:', message: 'bulk.detectors is empty.' },
    { text: 'model: {rules: {}}', at: '2:', message: 'model.rules is empty.' },
    { text: entry.replace('owner: dana@example.com, ', ''), at: '2:', message: 'accepted.0 lacks "owner".' },
    { text: entry.replace(FINGERPRINT, 'ABC'), at: '2:', message: 'accepted.0.finding must be the fingerprint' },
    {
      text: entry.replace('06-01', '02-30'),
      at: '2:',
      message: 'accepted.0.expires is not a calendar date: 2027-02-30.',
    },
    {
      text: entry.replace('2027-06-01', 'never'),
      at: '2:',
      message: 'accepted.0.expires must be a date such as 2027-01-31',
    },
    { text: twice, at: '4:', message: `accepted.1.finding is accepted twice: ${FINGERPRINT}.` },
    { text: '"<<": {bulk: {max_blocked: 9}}', at: '2:1', message: 'merge keys (<<) are not supported' },
    ...['owasp', 'Owasp'].map((other) => ({
      text: `redteam: {frameworks: {owasp: {max_successful: 9}, ${other === 'owasp' ? 'OWASP' : other}: {max_successful: 1}}}`,
      ...{ at: '2:', message: `redteam.frameworks.${other} is the same as OWASP` },
    })),
    { text: 'redteam: {"max_asr_percent": 5, "\\u006dax_asr_percent": 99}', at: '2:', message: 'must be unique' },
  ])('policy-names', 'is refused: $text', async ({ text, at, message, hint = '' }) => {
    const error = await failing(policyOf(text));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toContain(`aisec-policy.yml:${at}`);
    expect(error.message).toContain(message);
    expect(error.hint ?? '').toContain(hint);
  });

  scenario.each(['101', '-1', '.nan', 'ten', '"5"', 'null', '.inf'].map((word) => ({ word })))(
    'gate-evidence',
    'is refused with a share of $word',
    async ({ word }) => {
      for (const text of [
        `redteam: {max_asr_percent: ${word}}`,
        `bulk: {max_blocked_percent: ${word}}`,
        `redteam: {frameworks: {NIST: {max_asr_percent: ${word}}}}`,
      ])
        expect(await failing(policyOf(text))).toBeInstanceOf(ValidationError);
    },
  );

  test.each([
    ['redteam: {max_asr_percent: 5}', 'p.yml:1:1: The document lacks "version".'],
    ['version: 2', 'p.yml:1:1: version does not take this value.'],
    ['[]', 'is not a policy'],
    ['__proto__: {max_asr_percent: 100}\nversion: 1', '__proto__ is not known'],
  ])('is refused if it is not valid: %j', async (text, message) => {
    expect((await failing(readPolicy(text, 'p.yml'))).message).toContain(message);
    expect(({} as { max_asr_percent?: number }).max_asr_percent).toBeUndefined();
  });

  scenario('yaml-11', 'that merges another mapping is refused', async () => {
    for (const text of ['redteam:\n  <<: {max_asr_percent: 100}', '? !!merge <<\n: {bulk: {max_blocked: 9}}'])
      expect((await failing(policyOf(text))).message).toContain('merge keys (<<) are not supported');
  });
});

describe('a name in a policy', () => {
  test('may be that of any category, framework and detector', async () => {
    const limits = CATEGORIES.map((name) => `{category: ${name}, max_successful: 1}`);
    const frameworks = FRAMEWORKS.map((name) => `${name}: {max_asr_percent: 1}`);
    const detectors = DETECTORS.map((name) => `${name}: 1`);
    const redteam = `redteam: {limits: [${limits.join(', ')}], frameworks: {${frameworks.join(', ')}}}`;
    await expect(policyOf(`${redteam}\nbulk: {detectors: {${detectors.join(', ')}}}`)).resolves.toBeDefined();
  });

  test.each(['JAILBREAK', 'Prompt injection', 'hate-toxic abuse', 'security'])('may be spelt as %s', async (name) => {
    const file = await policyOf(`redteam: {limits: [{category: ${name}, max_successful: 0}]}`);
    expect(file.policy.redteam?.limits?.[0]?.category).toMatch(/^[A-Z_]+$/);
  });

  test('is located by the spelling of the file', async () => {
    const text = 'redteam:\n  frameworks: {nist: {max_successful: 1}, owasp: {max_successful: 2}}';
    const file = await policyOf(text);
    expect(file.policy.redteam).toEqual({ frameworks: { NIST: { max_successful: 1 }, OWASP: { max_successful: 2 } } });
    expect(file.spelled(['model', 'rules', 'OWASP'])).toEqual(['model', 'rules', 'OWASP']);
    const { source } = placeIn(file, ['redteam', 'frameworks', 'OWASP', 'max_successful']);
    expect(source).toBe('aisec-policy.yml:3, redteam.frameworks.owasp.max_successful');
  });

  test('covers the sub-categories and frameworks of the service', () => {
    const attacks = SERVED_CATEGORIES.flatMap(({ id, subCategories }) =>
      subCategories.map((sub) => ({ id, sub: sub.id })),
    );
    const others = ({ id, sub }: { id: string; sub: string }) =>
      SERVED_CATEGORIES.filter(
        (other) => other.id !== id && (isOfCategory(other.id, [sub]) || mayBeIn(other.id, [sub])),
      );
    expect(attacks.filter(({ id, sub }) => !isOfCategory(id, ['NEW', sub]) || !isOfCategory(sub, [id, sub]))).toEqual(
      [],
    );
    expect(attacks.flatMap(others)).toEqual([]);
    expect([...FRAMEWORKS].sort()).toEqual(SERVED_FRAMEWORKS.map(({ id }) => id).sort());
  });

  test.each([
    ['Tool - misuse', 'TOOL_MISUSE'],
    ['(Tool misuse) ', 'TOOL_MISUSE'],
    ['toolmisuse', undefined],
    ['tool misuse 2', undefined],
    ['', undefined],
  ])('is recognized by its letters and digits: %j', (text, known) => {
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
    ['SECURITY', ['Jailbreak', 'NEW'], false],
  ])('is undecided about the labels of %s, %j: %j', (category, labels, mayBe) => {
    expect(mayBeIn(category, labels)).toBe(mayBe);
  });
});
