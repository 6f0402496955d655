import { stringify } from 'yaml';

/** Writes YAML that readers of versions 1.1 and 1.2 understand alike: texts such as `yes` or `0012` are quoted. */
export function yamlText(value: unknown): string {
  return stringify(value ?? null, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}
