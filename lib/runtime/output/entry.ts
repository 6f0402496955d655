/** Converts results to platform entries; `docs/platform.md` describes types and formats. */
import type { AisecError } from '../../core/errors.ts';
import { asText, isObject, setOwn } from '../../core/json.ts';
import { markdown } from './markdown.ts';
import { type ContextWrite, type Result, truncatedValue } from './result.ts';

export interface PlatformEntry {
  Type: number;
  ContentsFormat: 'json' | 'text' | 'markdown';
  Contents: unknown;
  HumanReadable?: string;
  ReadableContentsFormat?: 'markdown';
  /** Tags by which a playbook finds the entry. */
  Tags?: readonly string[];
  EntryContext?: Record<string, unknown>;
}

/** Tag of a truncated result. */
const TRUNCATED = 'truncated';
const NOTE = 1;
const ERROR = 4;
const WARNING = 11;

/** Creates the entry of a result. */
export function entryOf(result: Result): PlatformEntry {
  const context: Record<string, unknown> = {};
  for (const write of result.writes) setOwn(context, contextKey(write), write.value);
  const { raw, truncated } = result;
  const mark = truncated === undefined ? {} : { truncated: truncatedValue(truncated, truncated.file?.name) };
  return {
    Type: NOTE,
    ContentsFormat: typeof raw === 'string' ? 'text' : 'json',
    Contents: isObject(raw) ? { ...raw, ...mark } : raw,
    ...(truncated === undefined ? {} : { Tags: [TRUNCATED] }),
    ...(result.showRaw ? {} : { HumanReadable: markdown(result.readable), ReadableContentsFormat: 'markdown' }),
    EntryContext: context,
  };
}

/**
 * Returns the path with the condition by which the platform identifies records. The first member must be present. The
 * other members may be null in both records; otherwise each run would append a record that lacks them.
 */
export function contextKey({ path, key }: Pick<ContextWrite, 'path' | 'key'>): string {
  if (key === undefined) return path;
  if (key.length === 0) return `${path}(true)`;
  const conditions = key.map((name) => `val.${name} == obj.${name}`);
  return `${path}(val.${key[0]} && ${conditions.join(' && ')})`;
}

/** Creates the entry of a failure: message and hint, without the stack. */
export function errorEntry(error: AisecError): PlatformEntry {
  return { Type: ERROR, ContentsFormat: 'text', Contents: errorText(error) };
}

/** Creates the entry of a warning. */
export function warningEntry(text: string): PlatformEntry {
  return { Type: WARNING, ContentsFormat: 'text', Contents: text };
}

/** Writes message, hint and related rows as plain text. */
export function errorText(error: AisecError): string {
  const rows = error.rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => `${name}=${asText(value)}`)
      .join(', '),
  );
  return [error.message, error.hint, ...rows].filter((part) => part !== undefined).join('\n');
}
