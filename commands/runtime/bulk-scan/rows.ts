/** The rows of a bulk scan: one for each prompt, with or without a verdict. */
import { BulkResult } from '../../../context/runtime/bulk-scan.ts';
import { AisecError, ServiceError, toAisecError, UsageError } from '../../../lib/errors.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { shape } from '../../../lib/output/shape.ts';

/** A prompt and its place in the input, counted from 1. */
export interface Prompt {
  readonly row: number;
  readonly text: string;
}

/**
 * How a scan ended without a verdict: `failed` at the service; `timed_out`, no result in time; `missing`, the
 * service has no record of the prompt; `unknown`, sent, but possibly not received; `error`, not scanned.
 */
export type Ending = 'failed' | 'timed_out' | 'missing' | 'unknown' | 'error';

export interface Row {
  readonly row: number;
  readonly prompt: string;
  readonly action: string;
  readonly status: string;
  readonly [member: string]: unknown;
}

/** Number of characters shown of a prompt that is too long to be scanned. */
const SHOWN = 200;

/** The row of a scan that is complete; of an answer that holds no verdict, a row that says so. */
export function verdictRow({ row, text }: Prompt, result: JsonObject, scanId?: string): Row {
  try {
    const shaped = shape(BulkResult, { scan_id: scanId, ...result }, { row, prompt: text, status: 'complete' });
    return { ...shaped, row, prompt: text, action: asText(shaped['action']), status: 'complete' };
  } catch (thrown) {
    return failedRow({ row, text }, 'failed', toAisecError(thrown), scanId);
  }
}

/** The row of a prompt that has no verdict. */
export function failedRow(
  { row, text }: Prompt,
  status: Ending,
  error: AisecError,
  scanId?: string,
  message = error.message,
): Row {
  const empty = Object.fromEntries(Object.keys(BulkResult.fields).map((name) => [name, null]));
  const own = { action: 'error', category: 'error', error: message, status, scan_id: scanId ?? null };
  return withCause({ ...empty, ...own, row, prompt: text }, error);
}

const CAUSE = 'cause';

// It is no member of the row: what is printed, counted and kept of a row is what its record declares.
function withCause(row: Row, error: AisecError): Row {
  return Object.defineProperty(row, CAUSE, { value: error, enumerable: false });
}

/** The row of a prompt that is not sent at all. */
export function refusedRow({ row, text }: Prompt, problem: string): Row {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
  return failedRow({ row, text: shown }, 'error', new UsageError(problem));
}

/** Is there a verdict? An action that is neither allow nor block is one too, though no count of its own has it. */
export function hasVerdict({ status }: Row): boolean {
  return status === 'complete';
}

/** Which count a row belongs to: together they are the total. */
export function countOf({ action }: Row): 'allowed' | 'blocked' | 'errors' {
  return action === 'allow' ? 'allowed' : action === 'block' ? 'blocked' : 'errors';
}

/** Whether a row needs a review: anything not plainly allowed. */
export function hasPriority(row: JsonObject): boolean {
  return row['action'] !== 'allow' || isIncomplete(row);
}

/** A detector timed out or failed: the verdict does not cover everything. */
export function isIncomplete(row: JsonObject): boolean {
  return row['timeout'] === true || row['error'] === true;
}

/** The error that a row without a verdict stands for. */
export function errorOf(row: Row): AisecError {
  const { error, status } = row;
  // A row that an earlier process wrote has no more than its text.
  if (row[CAUSE] instanceof AisecError) return row[CAUSE];
  return status === 'error' ? new UsageError(asText(error)) : new ServiceError(asText(error));
}
