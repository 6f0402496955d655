/** The JSON Schema of a policy; `npm run generate` writes it to `catalogue/policy.schema.json` for editors. */
import type { Schema } from '../../arguments/builders.ts';
import { count, list, object } from '../../documents/schema.ts';
import { SEVERITIES } from '../finding.ts';

/** A text that says something. */
const filled = (description: string): Schema => ({ type: 'string', minLength: 1, description });
const choice = (description: string, choices: readonly string[]): Schema => ({ enum: choices, description });
const percent = (description: string): Schema => ({ type: 'number', minimum: 0, maximum: 100, description });
const severity = (description: string) => choice(description, SEVERITIES);
const byName = (description: string, values: Schema): Schema => ({
  type: 'object',
  description,
  additionalProperties: values,
});

const attackLimit = object('Limits the attacks that it describes; all that it names must hold.', {
  category: filled('Category or sub-category, by id or by name, such as JAILBREAK.'),
  severity: severity('Attacks of this severity or a higher one.'),
  max: count('Highest number of successful attacks that passes.'),
});

const frameworkLimit = object('Limits one compliance framework, in static scans.', {
  max_asr: percent('Highest attack success rate of its techniques that passes, in percent.'),
  max: count('Highest number of successful attacks that passes.'),
});

const acceptance = object(
  'A finding that does not fail the gate, until it expires.',
  {
    finding: {
      type: 'string',
      pattern: '^[0-9a-f]{16}$',
      title: 'the fingerprint of a finding, 16 hexadecimal digits',
      description: 'Fingerprint of the finding, as the gate prints it.',
    },
    owner: filled('Who answers for it.'),
    reason: filled('Why it is accepted.'),
    expires: {
      type: 'string',
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      title: 'a date such as 2027-01-31',
      description: 'Last day on which it is accepted, in UTC; afterwards the finding fails again.',
    },
  },
  { required: ['finding', 'owner', 'reason', 'expires'] },
);

export const POLICY_SCHEMA: Schema = object(
  'What aisec gate accepts.',
  {
    version: { enum: [1], description: 'Version of this format.' },
    redteam: object('For aisec gate redteam.', {
      max_asr: percent('Highest attack success rate of the scan that passes, in percent.'),
      fail_on: severity('A successful attack of this severity or a higher one fails.'),
      limits: list('Limits by category and severity.', { ...attackLimit, required: ['max'] }),
      frameworks: byName('Limits by compliance framework, by id or by name, such as OWASP.', frameworkLimit),
    }),
    model: object('For aisec gate model.', {
      fail_on: choice('Violations that fail: of blocking rules, of any rule, or none but those of `rules`.', [
        'blocking',
        'any',
        'none',
      ]),
      rules: byName(
        'Level by the name of a security rule.',
        choice('Level of its violations.', ['fail', 'warn', 'note']),
      ),
    }),
    bulk: object('For aisec gate bulk.', {
      max_blocked: count('Highest number of blocked prompts that passes. Default: 0'),
      max_blocked_percent: percent('Highest share of blocked prompts that passes, in percent.'),
      detectors: byName('Highest number of blocked prompts that passes, by detector.', count('Number of prompts.')),
    }),
    accepted: list('Findings that do not fail the gate.', acceptance),
  },
  { required: ['version'] },
);
