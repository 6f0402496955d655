/** The names of schemas, and the families of commands. */
import { toolset } from '../../lib/manifest/toolsets.ts';

/** Converts a name such as `aisec-runtime-scan` or `prompt_detected` to Pascal case. */
export function pascalCase(name: string): string {
  return name
    .replace(/^aisec-/, '')
    .replace(/^redteam\b/, 'red-team')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Families of commands: tags in the document, and the toolsets of tokens. */
export const FAMILIES: Readonly<Record<string, string>> = {
  runtime:
    'Scans of prompts and responses, and their configuration: security profiles, topics, API keys and applications.',
  dlp: 'Data loss prevention: data profiles, patterns, dictionaries and filtering profiles.',
  'red-team': 'Attacks on AI applications: targets, scans, reports, prompt sets and network channels.',
  'model-security': 'Scans of models before they are used: security groups, rules, violations and labels.',
};

/** Returns the family of a command; by default its first word. */
export function familyOf(command: string): string {
  const family = Object.keys(FAMILIES).find((name) => toolset(name)(command));
  return family ?? command.replace(/^aisec-/, '').replace(/-.*/, '');
}
