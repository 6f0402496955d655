/** A policy: what a gate accepts, in a file that is reviewed like code. */
import type { Path, Source } from '../../../documents/places.ts';
import { count, list, object, type SchemaOf, type ValueOf } from '../../../documents/schema.ts';
import { SEVERITIES } from '../finding.ts';
import { CATEGORIES, DETECTORS, FRAMEWORKS } from './names.ts';

/** A text that is not empty. */
const filled = (description: string): SchemaOf<string> => ({ type: 'string', minLength: 1, description });
/** A text of this form. @param title names the form in messages */
const formed = (description: string, pattern: string, title: string): SchemaOf<string> => ({
  type: 'string',
  pattern,
  title,
  description,
});
const choice = <T extends string>(description: string, choices: readonly T[]): SchemaOf<T> => ({
  enum: choices,
  description,
});
const percent = (description: string): SchemaOf<number> => ({ type: 'number', minimum: 0, maximum: 100, description });
const severity = (description: string) => choice(description, SEVERITIES);
/** Reject an empty list or object: a limit was meant to be there. */
const atLeastOne = <T>(schema: SchemaOf<T>): SchemaOf<T> =>
  schema['type'] === 'array' ? { ...schema, minItems: 1 } : { ...schema, minProperties: 1 };
type ByName<T> = Readonly<Record<string, T>>;
/** Values for any of these names. */
const byName = <T>(description: string, names: readonly string[], values: SchemaOf<T>): SchemaOf<ByName<T>> =>
  atLeastOne(object(description, Object.fromEntries(names.map((name) => [name, values]))));

const attackLimit = object(
  'Limits the attacks that it describes; all that it names must hold.',
  {
    category: choice('Category or sub-category, such as JAILBREAK.', CATEGORIES),
    severity: severity('Attacks of this severity or a higher one.'),
    max_successful: count('Highest number of successful attacks that passes.'),
  },
  ['max_successful'],
);

const frameworkLimit = atLeastOne(
  object('Limits one compliance framework, in static scans.', {
    max_asr_percent: percent('Highest attack success rate of its techniques that passes, in percent.'),
    max_successful: count('Highest number of successful attacks that passes.'),
  }),
);

const acceptance = object(
  'A finding that does not fail the gate, until it expires.',
  {
    finding: formed(
      'Fingerprint of the finding, as the gate prints it.',
      '^[0-9a-f]{16}$',
      'the fingerprint of a finding, 16 hexadecimal digits',
    ),
    owner: filled('Who answers for it.'),
    reason: filled('Why it is accepted.'),
    expires: formed(
      'Last day on which it is accepted, in UTC; afterwards the finding fails again.',
      '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      'a date such as 2027-01-31',
    ),
  },
  ['finding', 'owner', 'reason', 'expires'],
);

/** The JSON Schema; `npm run generate` writes it to `catalogue/policy.schema.json` for editors. */
export const POLICY_SCHEMA = object(
  'What aisec gate accepts.',
  {
    version: { enum: [1], description: 'Version of this format.' },
    redteam: object('For aisec gate redteam.', {
      max_asr_percent: percent('Highest attack success rate of the scan that passes, in percent.'),
      fail_on: severity('A successful attack of this severity or a higher one fails.'),
      limits: atLeastOne(list('Limits by category and severity.', attackLimit)),
      frameworks: byName('Limits by compliance framework, such as OWASP.', FRAMEWORKS, frameworkLimit),
    }),
    model: object('For aisec gate model.', {
      fail_on: choice('Violations that fail: of blocking rules, of any rule, or none but those of `rules`.', [
        'blocking',
        'any',
        'none',
      ]),
      rules: atLeastOne<ByName<'fail' | 'warn' | 'note'>>({
        type: 'object',
        description: 'Level by the name of a security rule, which the gate looks up in the tenant.',
        additionalProperties: choice('Level of its violations.', ['fail', 'warn', 'note']),
      }),
    }),
    bulk: object('For aisec gate bulk.', {
      max_blocked: count('Highest number of blocked prompts that passes. Default: 0'),
      max_blocked_percent: percent('Highest share of blocked prompts that passes, in percent.'),
      detectors: byName(
        'Highest number of blocked prompts that passes, by detector.',
        DETECTORS,
        count('Number of prompts.'),
      ),
    }),
    accepted: list('Findings that do not fail the gate.', acceptance),
  },
  ['version'],
);

/** The members by their known names. */
export type Policy = Omit<ValueOf<typeof POLICY_SCHEMA>, 'version'>;
export type AttackLimit = ValueOf<typeof attackLimit>;
export type FrameworkLimit = ValueOf<typeof frameworkLimit>;
/** A finding that does not fail the gate until it expires. */
export type Acceptance = ValueOf<typeof acceptance>;

/** A policy with the lines of its parts. */
export interface PolicyFile {
  readonly policy: Policy;
  readonly source: Source;
  /** Returns the path of a part as the file spells it. */
  readonly spelled: (path: Path) => Path;
}

/** Where a limit stands. */
export interface LimitPlace {
  /** For messages: `aisec-policy.yml:4, redteam.fail_on`. */
  readonly source: string;
  /** For report files. */
  readonly place: { readonly uri: string; readonly line?: number };
}

export function placeIn({ source: { file, lineOf }, spelled }: PolicyFile, path: Path): LimitPlace {
  const line = lineOf(path);
  const source = `${file}${line === undefined ? '' : `:${line}`}, ${spelled(path).join('.')}`;
  return { source, place: { uri: file, ...(line === undefined ? {} : { line }) } };
}
