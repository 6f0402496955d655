/** The names that a policy may limit by, as the service documents them: a misspelt one would limit nothing. */

/** Detectors of prompts; a bulk scan has no responses. */
export const DETECTORS: readonly string[] = [
  'agent',
  'dlp',
  'injection',
  'malicious_code',
  'source_code',
  'topic_violation',
  'toxic_content',
  'url_cats',
];

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

/** Categories, sub-categories and types of goals. Frameworks have limits of their own, because attacks do not name them. */
export const CATEGORIES: readonly string[] = [...TOP, ...Object.values(SUB_CATEGORIES).flat(), ...GOALS];

export const FRAMEWORKS: readonly string[] = ['DASF_V2', 'MITRE_ATLAS', 'NIST', 'OWASP'];

/** Returns the known name that a text spells, in any case and with any separators: `Prompt injection`. */
export function knownName(text: string, names: readonly string[]): string | undefined {
  const key = text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return names.find((name) => name === key);
}

/** Returns whether one of the names of an attack says that it is of a category: the category itself, or a part of it. */
export function isIn(category: string, labels: readonly string[]): boolean {
  const meant = [category, ...(SUB_CATEGORIES[category] ?? [])];
  return labels.some((label) => knownName(label, meant) !== undefined);
}

/** Returns whether the names of an attack leave open that it is of a category: they are of another kind, or missing. */
export function mayBeIn(category: string, labels: readonly string[]): boolean {
  // A sub-category that is not known here may be of any category.
  if (TOP.includes(category)) return labels.every((label) => knownName(label, CATEGORIES) === undefined);
  return labels.every((label) => label.trim() === '' || knownName(label, TOP) !== undefined);
}
