/** The rows of a bulk scan: one for each prompt, with or without a verdict. */
import { BulkResult } from '../../../context/runtime/bulk-scan.ts';
import { AisecError, ServiceError, toAisecError, UsageError } from '../../../lib/core/errors.ts';
import { asText, isObject, type JsonObject, objectOf } from '../../../lib/core/json.ts';
import type { Item } from '../../../lib/runtime/bulk/table.ts';
import { shape } from '../../../lib/runtime/output/shape.ts';
import { actionOf } from '../../../lib/runtime/output/verdict.ts';

/** A prompt as it was read. */
export interface ScanItem extends Item {
  /** Content scanned together with the prompt, which may then be blank. */
  readonly content?: JsonObject;
}

/** A prompt and its place in the input, counted from 1. */
export interface Prompt extends ScanItem {
  readonly row: number;
}

/**
 * How a scan ended without a verdict: `failed`, in the service; `timed_out`, no result in time; `missing`, the service
 * has no record of the prompt; `unknown`, sent but possibly not received; `error`, not scanned.
 */
export type Ending = 'failed' | 'timed_out' | 'missing' | 'unknown' | 'error';

export interface Row {
  readonly row: number;
  readonly prompt: string;
  readonly action: string;
  readonly status: string;
  readonly [member: string]: unknown;
}

/** Number of characters to show of a prompt that is too long to scan. */
const SHOWN = 200;

/** Creates the row of a completed scan; a result without a verdict becomes a failed row. */
export function verdictRow(from: Prompt, result: JsonObject, scanId?: string): Row {
  const { row, text } = from;
  try {
    const shaped = shape(BulkResult, { scan_id: scanId, ...result }, { row, prompt: text, status: 'complete' });
    const own = { row, prompt: text, action: asText(shaped['action']), status: 'complete' };
    return { ...shaped, ...own, ...foundBeside(from, result), ...kept(from) };
  } catch (thrown) {
    return failedRow(from, 'failed', toAisecError(thrown), scanId);
  }
}

/** Creates the row of a prompt without a verdict. */
export function failedRow(
  from: Prompt,
  status: Ending,
  error: AisecError,
  scanId?: string,
  message = error.message,
): Row {
  const empty = Object.fromEntries(Object.keys(BulkResult.fields).map((name) => [name, null]));
  const own = { action: 'error', category: 'error', error: message, status, scan_id: scanId ?? null };
  const decided = { decision: 'none', decision_cause: 'action' };
  const { row, text: prompt } = from;
  const failed: Row = { ...empty, ...own, ...decided, row, prompt, ...foundBeside(from, {}), ...kept(from) };
  // Make the cause non-enumerable, so that only declared fields are printed, counted and saved.
  return Object.defineProperty(failed, CAUSE, { value: error, enumerable: false });
}

/** Returns the columns of a row. */
export function kept({ columns }: Item) {
  return columns === undefined ? {} : { columns };
}

/** Returns the number of characters that a row keeps in memory. */
export function heldBy({ prompt, columns }: { readonly prompt: string; readonly columns?: unknown }): number {
  return Object.values(objectOf(columns)).reduce<number>((sum, cell) => sum + asText(cell).length, prompt.length);
}

/**
 * Returns which contents were scanned besides the prompt, and their findings. A row with only a prompt has these
 * members only if the verdict is based only on the prompt.
 */
function foundBeside({ content }: Prompt, { prompt_detected, response_detected, tool_detected }: JsonObject) {
  if (content === undefined && isObject(prompt_detected)) return {};
  const found = Object.entries({ response_detected, tool_detected }).filter(([, value]) => isObject(value));
  return { ...(content === undefined ? {} : { scanned: Object.keys(content) }), ...Object.fromEntries(found) };
}

const CAUSE = 'cause';

/** Creates the row of a prompt that is not sent. */
export function refusedRow(from: Prompt, problem: string): Row {
  return failedRow({ ...from, text: beginningOf(from.text) }, 'error', new UsageError(problem));
}

/** Reads a row from its JSON. */
export function rowIn(line: string): Row {
  return JSON.parse(line) as Row;
}

/** Shortens a text that may be too long to scan. */
export function beginningOf(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}

/** Reports whether a row has a verdict. Actions other than allow and block are verdicts too, but are not counted separately. */
export function hasVerdict({ status }: Row): boolean {
  return status === 'complete';
}

/** Numbers of rows: the total, and the rows with each outcome, which add up to it. */
export interface Counts {
  readonly total: number;
  readonly blocked: number;
  readonly allowed: number;
  readonly errors: number;
}

export const NO_ROWS: Counts = { total: 0, blocked: 0, allowed: 0, errors: 0 };

/** Adds a row to counts. */
export function countRow(counts: { -readonly [Name in keyof Counts]: number }, row: Row): void {
  counts.total += 1;
  counts[countOf(row)] += 1;
}

/** Returns the count of a row. */
export function countOf({ action }: Row): 'allowed' | 'blocked' | 'errors' {
  const known = actionOf(action);
  return known === 'allow' ? 'allowed' : known === 'block' ? 'blocked' : 'errors';
}

/** Returns the error of a row without a verdict. */
export function rowError(row: Row): AisecError {
  const { error, status } = row;
  // A row of an earlier process has only the message of its error.
  if (row[CAUSE] instanceof AisecError) return row[CAUSE];
  return status === 'error' ? new UsageError(asText(error)) : new ServiceError(asText(error));
}
