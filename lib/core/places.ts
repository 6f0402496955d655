/** Locates the parts of a document in its file. */
import type { Problem } from './errors.ts';

/** Keys that lead from the top of the document to one of its parts. */
export type Path = readonly (string | number)[];

/** Returns the line of a part, or of the nearest part around it; undefined where the lines are unknown. */
export type LineOf = (path: Path) => number | undefined;

/** Returns the column where a part begins, from 1, or where the nearest part around it begins. */
export type ColumnOf = (path: Path) => number | undefined;

/** The file of a document, as the user names it. */
export interface Source {
  readonly file: string;
  readonly lineOf: LineOf;
  readonly columnOf: ColumnOf;
  /** Include the column in messages. */
  readonly showsColumns?: boolean;
}

/** For a document that is not read from a file. */
export const NO_SOURCE: Source = { file: '', lineOf: () => undefined, columnOf: () => undefined };

/**
 * Prefixes a message with its place, such as `scan.yml:12: Task 1` or `scan.yml:12:5: Task 1`, in the form that editors
 * follow.
 */
export function located(file: string, line: number | undefined, text: string, column?: number): string {
  if (line === undefined) return text;
  return column === undefined ? `${file}:${line}: ${text}` : `${file}:${line}:${column}: ${text}`;
}

/** Prefixes a message about a part with the part's place. */
export function problemIn(
  { file, lineOf, columnOf, showsColumns = false }: Source,
  path: Path,
  message: string,
): Problem {
  const line = lineOf(path);
  const text = located(file, line, message, showsColumns ? columnOf(path) : undefined);
  return { message: text, ...(line === undefined ? {} : { line }) };
}
