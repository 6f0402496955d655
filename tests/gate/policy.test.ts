import { ValidationError } from '../../lib/errors.ts';
import { placeIn } from '../../lib/gate/policy/policy.ts';
import { readPolicy } from '../../lib/gate/policy/read-policy.ts';
import { failing } from '../support/exchange.ts';

const FINGERPRINT = '0123456789abcdef';
const COMPLETE = `# What may go out.
version: 1
redteam:
  max_asr: 5
  fail_on: high
  limits:
    - { category: JAILBREAK, severity: low, max: 0 }
  frameworks:
    OWASP: { max_asr: 10, max: 3 }
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
  test('is read with the lines of its parts', async () => {
    const file = await readPolicy(COMPLETE, 'aisec-policy.yml');
    expect(file.policy).toMatchObject({ redteam: { max_asr: 5 }, bulk: { detectors: { injection: 0 } } });
    expect(placeIn(file, ['redteam', 'fail_on'])).toEqual({
      source: 'aisec-policy.yml:5, redteam.fail_on',
      place: { uri: 'aisec-policy.yml', line: 5 },
    });
    expect(placeIn(file, ['accepted', 0, 'expires']).source).toBe('aisec-policy.yml:22, accepted.0.expires');
  });

  test.each([
    { text: 'redteam: {max_asr: 5}', line: 1, message: 'The document lacks "version".' },
    { text: 'version: 2', line: 1, message: 'version does not take this value.', hint: 'Choices: 1.' },
    { text: 'version: 1\nredtem: {}', line: 2, message: 'redtem is not known.', hint: 'Did you mean "redteam"?' },
    {
      text: 'version: 1\nredteam:\n  fail_on: hihg',
      line: 3,
      message: 'redteam.fail_on does not take "hihg".',
      hint: 'Did you mean "high"?',
    },
    {
      text: 'version: 1\nredteam:\n  max_asr: 101',
      line: 3,
      message: 'redteam.max_asr must be at most 100, not "101".',
    },
    { text: 'version: 1\nbulk:\n  max_blocked: 1.5', line: 3, message: 'bulk.max_blocked must be an integer.' },
    { text: 'version: 1\nbulk:\n  max_blocked: "1"', line: 3, message: 'bulk.max_blocked must be an integer.' },
    {
      text: 'version: 1\nredteam:\n  limits:\n    - severity: low\n',
      line: 4,
      message: 'redteam.limits.0 lacks "max".',
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
    expect(error.message).toContain(`p.yml:${line}: ${message}`);
    expect(error.hint ?? '').toContain(hint);
  });

  test('reports all problems together, in the order of their lines', async () => {
    const error = await failing(readPolicy('version: 3\nbulk: {max_blocked: -1}\nredteam: {fail_on: bad}\n', 'p.yml'));
    expect(error.message.match(/p\.yml:\d/g)).toEqual(['p.yml:1', 'p.yml:2', 'p.yml:3']);
  });

  test.each([
    ['__proto__: {max_asr: 100}\nversion: 1', '__proto__ is not known'],
    ['version: 1\nmodel:\n  rules: {__proto__: fail, constructor: none}', 'does not take "none"'],
    ['[]', 'is not a policy'],
    ['a: *b', 'not valid YAML|is not a policy'],
    [`version: 1\naccepted: ${'['.repeat(5000)}`, 'not valid YAML|must be'],
  ])('from an attacker is refused in bounded time: %j', async (text, message) => {
    expect((await failing(readPolicy(text, 'p.yml'))).message).toMatch(new RegExp(message));
    expect(({} as { max_asr?: number }).max_asr).toBeUndefined();
  });
});
