/** The marks of a settings section: booleans that describe a tenant to this program; they are not settings of the service. */

import { ConfigurationError } from './errors.ts';
import { isOwn } from './text/own.ts';

export interface Marks {
  /** The section is a production tenant. */
  production: boolean;
}

export type MarkName = keyof Marks;

interface Mark {
  readonly default: boolean;
  readonly description: string;
}

/** Declares each mark once: the file format and help follow from this table. */
export const MARKS = {
  production: { default: false, description: 'The tenant is in production: the war room shows its prompt in colour.' },
} as const satisfies Readonly<Record<MarkName, Mark>>;

/** Returns true if a string is the name of a mark. */
export function isMarkName(name: string): name is MarkName {
  return isOwn(MARKS, name);
}

export const MARK_NAMES: readonly MarkName[] = Object.keys(MARKS).filter(isMarkName);

const WORDS: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

/**
 * Reads the value of a mark.
 * @param place beginning of the message, such as `In settings.yml, the top level must have "production"`
 * @returns undefined for an empty value
 * @throws ConfigurationError for a value that is not a boolean
 */
export function readMark(value: unknown, place: string): boolean | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const word = String(value).toLowerCase();
  if (isOwn(WORDS, word)) return WORDS[word];
  throw new ConfigurationError(`${place} as true, false, yes or no.`);
}
