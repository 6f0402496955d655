/**
 * Writes the words of platforms and of the wire as a person at a terminal knows them. Only help, tables and messages
 * change: JSON, context, entries and markdown keep the names of the interface.
 */
import { idTitle } from '../../../project/printed.ts';

const HEADINGS: Readonly<Record<string, string>> = { 'Tr ID': 'Correlation ID' };

/** Returns the heading of a field. */
export function plainHeading(heading: string): string {
  return Object.hasOwn(HEADINGS, heading)
    ? (HEADINGS[heading] ?? heading)
    : idTitle(heading).replace(/^Is (?=[A-Z])/, '');
}

/** Replaces the platform's name of a file argument by the terminal's. */
export function plainText(text: string): string {
  return text.replace(/\bentry_?id\b/gi, 'file');
}
