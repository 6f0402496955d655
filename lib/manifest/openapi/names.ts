/** Names of schemas, and the families of commands. */

/** Converts a name such as `aisec-runtime-scan` or `prompt_detected` to Pascal case. */
export function pascalCase(name: string): string {
  return name
    .replace(/^aisec-/, '')
    .replace(/^redteam\b/, 'red-team')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** A family of commands: a tag, and the toolset of a token. */
export interface Family {
  readonly name: string;
  readonly start: string;
  readonly description: string;
}

const FAMILIES: readonly Family[] = [
  {
    name: 'dlp',
    start: 'aisec-runtime-dlp-',
    description: 'Data loss prevention: data profiles, patterns, dictionaries and filtering profiles.',
  },
  {
    name: 'runtime',
    start: 'aisec-runtime-',
    description:
      'Scans of prompts and responses, and what governs them: security profiles, topics, keys, applications.',
  },
  {
    name: 'red-team',
    start: 'aisec-redteam-',
    description: 'Attacks on AI applications: targets, scans, reports, prompt sets and network channels.',
  },
  {
    name: 'model-security',
    start: 'aisec-model-security-',
    description: 'Scans of models before they are used: security groups, rules, violations and labels.',
  },
];

/** Lists the families in the order of the registry. */
export function families(): readonly Family[] {
  const [dlp, runtime, ...rest] = FAMILIES;
  return [runtime, dlp, ...rest].filter((family) => family !== undefined);
}

/** Returns the family of a command. @throws Error for a name that has none */
export function familyOf(command: string): string {
  // The longer start comes first.
  const family = FAMILIES.find(({ start }) => command.startsWith(start));
  if (family === undefined) throw new Error(`${command} belongs to no family.`);
  return family.name;
}
