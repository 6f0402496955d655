/** A policy: the limits and accepted findings of a gate, in a file that is reviewed like code. */
import type { Path, Source } from '../../../core/places.ts';
import { count, list, object, type SchemaOf, type ValueOf } from '../../../node/documents/schema.ts';
import { DETECTORS } from '../../../runtime/output/detectors.ts';
import { SEVERITIES } from '../finding.ts';

/** Sub-categories of static attacks, by category. */
const SUB_CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  SECURITY: [
    'ADVERSARIAL_SUFFIX',
    'EVASION',
    'INDIRECT_PROMPT_INJECTION',
    'JAILBREAK',
    'MALWARE_GENERATION',
    'MULTI_TURN',
    'PROMPT_INJECTION',
    'REMOTE_CODE_EXECUTION',
    'SYSTEM_PROMPT_LEAK',
    'TOOL_LEAK',
  ],
  SAFETY: [
    'BIAS',
    'CBRN',
    'CYBERCRIME',
    'DRUGS',
    'HATE_TOXIC_ABUSE',
    'NON_VIOLENT_CRIMES',
    'POLITICAL',
    'SELF_HARM',
    'SEXUAL',
    'VIOLENT_CRIMES_WEAPONS',
  ],
  BRAND: [
    'BRAND_TARNISHING_SELF_CRITICISM',
    'COMPETITOR_ENDORSEMENTS',
    'DISCRIMINATING_CLAIMS',
    'POLITICAL_ENDORSEMENTS',
  ],
};

/** Types of goals, the only classification of a DYNAMIC scan. */
export const GOALS: readonly string[] = [
  'BASE',
  'GOAL_MANIPULATION',
  'PRIVILEGE_MISUSE',
  'TOOL_MISUSE',
  'TOOL_CHAINING',
  'TOXIC_CONTENT_GENERATION',
  'CUSTOM',
];

const TOP = Object.keys(SUB_CATEGORIES);

/** Categories, sub-categories and goal types. Frameworks have their own limits, because attacks do not name them. */
export const CATEGORIES: readonly string[] = [...TOP, ...Object.values(SUB_CATEGORIES).flat(), ...GOALS];

export const FRAMEWORKS: readonly string[] = ['DASF_V2', 'MITRE_ATLAS', 'NIST', 'OWASP'];

/** Returns the known name that matches a string, ignoring case and separators: `Prompt injection`. */
export function knownName(text: string, names: readonly string[]): string | undefined {
  const key = text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return names.find((name) => name === key);
}

/** Reports whether any name of an attack puts it in a category: the category itself, or one of its sub-categories. */
export function isOfCategory(category: string, labels: readonly string[]): boolean {
  const meant = [category, ...(SUB_CATEGORIES[category] ?? [])];
  return labels.some((label) => knownName(label, meant) !== undefined);
}

/** Reports whether the names of an attack leave its category open: they are of another kind, or missing. */
export function mayBeIn(category: string, labels: readonly string[]): boolean {
  // An unknown sub-category may belong to any category.
  if (TOP.includes(category)) return labels.every((label) => knownName(label, CATEGORIES) === undefined);
  return labels.every((label) => label.trim() === '' || knownName(label, TOP) !== undefined);
}

/** A non-empty text. */
const filled = (description: string): SchemaOf<string> => ({ type: 'string', minLength: 1, description });
/** The schema of a string in this format. @param title names the format in messages */
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
/** Reject an empty list or object: its author meant to set a limit. */
const atLeastOne = <T>(schema: SchemaOf<T>): SchemaOf<T> =>
  schema['type'] === 'array' ? { ...schema, minItems: 1 } : { ...schema, minProperties: 1 };
type ByName<T> = Readonly<Record<string, T>>;
/** An object with a value for any of these names. */
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

/** The members of a policy, under their known names. */
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

/** Where a limit is set. */
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
