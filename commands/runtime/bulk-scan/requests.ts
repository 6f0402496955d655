/** Sends the requests of a bulk scan and handles their responses. */

import { type AisecError, CancelledError, NotFoundError, toAisecError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Call } from '../../../lib/runtime/api/call.ts';
import type { Batch, Batches } from './batches.ts';
import { classifyFailure, mayHaveArrived, resultsOf, type Subject, scanAsync, scanIdIn, scanSync } from './calls.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { failedRow, type Prompt, type Row, verdictRow } from './rows.ts';
import type { Scan, Scans } from './scans.ts';
import type { Notes } from './state.ts';

/** State that all requests of a run share. */
export interface RunContext {
  readonly subject: Subject;
  readonly fetch: (call: Call) => Promise<JsonObject>;
  readonly batches: Batches;
  readonly scans: Scans;
  readonly breaker: CircuitBreaker;
  readonly notes: Notes;
  /** Attempts of synchronous scans, by row. */
  readonly attempts: Map<number, number>;
  /**
   * Set when no more prompts are sent: the error for the rows of the remaining prompts, and what the error means for
   * those rows.
   */
  givenUp?: { readonly error: AisecError; readonly why: string };
  /** Number of scans in one poll. */
  idsPerPoll: number;
  /** Records finished rows. */
  settle(rows: readonly Row[]): Promise<void>;
}

/** Maximum attempts of a synchronous scan. */
const MAX_ATTEMPTS = 3;

/** Submits a batch for asynchronous scanning. */
export async function submit(context: RunContext, batch: Batch): Promise<void> {
  await context.notes.sending(batch);
  let scanId: string;
  try {
    scanId = scanIdIn(await context.fetch(scanAsync(context.subject, batch)));
  } catch (thrown) {
    return handleSubmitFailure(context, batch, thrown);
  }
  context.breaker.succeed();
  context.batches.accepted(batch);
  await context.notes.accepted(scanId, batch);
  context.scans.add(scanId, batch);
}

// Do not retry a request that may have arrived: its prompts would be scanned, and billed, twice.
async function handleSubmitFailure(context: RunContext, batch: Batch, thrown: unknown): Promise<void> {
  // The request may have been sent before the stop, so keep the journal's note that it was in flight.
  if (thrown instanceof CancelledError) throw thrown;
  const error = toAisecError(thrown);
  const isUnknown = mayBeScanned(thrown);
  const message = `${error.message} Whether the prompt was scanned is unknown.`;
  if (isUnknown) await recordAndSettle(context, failures(batch, 'unknown', error, message));
  else await context.notes.unsent(batch);
  const kind = context.breaker.fail(thrown);
  if (kind === 'refused') await refuse(context, batch, error);
  else if (!isUnknown) context.batches.back(batch);
}

/** Reports whether the service may have scanned the prompts of a failed request. */
function mayBeScanned(thrown: unknown): boolean {
  return classifyFailure(thrown) === 'unavailable' && mayHaveArrived(thrown);
}

/** Scans one prompt, and waits for its verdict. */
export async function scanAlone(context: RunContext, batch: Batch, prompt: Prompt): Promise<void> {
  await context.notes.sending(batch);
  let answer: JsonObject;
  try {
    answer = await context.fetch(scanSync(context.subject, prompt));
  } catch (thrown) {
    return handleScanFailure(context, batch, prompt, thrown);
  }
  context.breaker.succeed();
  return recordAndSettle(context, [verdictRow(prompt, answer)]);
}

async function handleScanFailure(context: RunContext, batch: Batch, { row }: Prompt, thrown: unknown): Promise<void> {
  if (thrown instanceof CancelledError) throw thrown;
  const isUnknown = mayBeScanned(thrown);
  if (!isUnknown) await context.notes.unsent(batch);
  const kind = context.breaker.fail(thrown);
  if (kind === 'refused') return refuse(context, batch, toAisecError(thrown));
  const attempt = (context.attempts.get(row) ?? 0) + (kind === 'unavailable' ? 1 : 0);
  context.attempts.set(row, attempt);
  if (attempt >= MAX_ATTEMPTS) return recordAndSettle(context, failures(batch, 'error', toAisecError(thrown)));
  if (isUnknown) await context.notes.repeats([row]);
  context.batches.back(batch);
}

/** Polls the results of scans. */
export async function poll(context: RunContext, polled: readonly Scan[]): Promise<void> {
  let answer: JsonObject;
  try {
    answer = await context.fetch(resultsOf(polled.map(({ id }) => id)));
    context.breaker.succeed();
  } catch (thrown) {
    // The service does not know these scans yet.
    if (thrown instanceof NotFoundError) answer = {};
    else return handlePollFailure(context, polled, thrown);
  }
  await context.settle(context.scans.pollResult(polled, answer));
}

async function handlePollFailure(context: RunContext, polled: readonly Scan[], thrown: unknown): Promise<void> {
  const kind = context.breaker.fail(thrown);
  const [only, ...others] = polled;
  if (kind === 'refused' && only !== undefined && others.length === 0) {
    return context.settle(context.scans.end(only, 'failed', toAisecError(thrown)));
  }
  if (kind === 'refused') context.idsPerPoll = Math.ceil(polled.length / 2);
  for (const scan of polled) context.scans.pollLater(scan);
}

async function refuse(context: RunContext, batch: Batch, error: AisecError): Promise<void> {
  if (context.batches.refused(batch)) return;
  await recordAndSettle(context, failures(batch, 'error', error));
  const reason = context.breaker.refuse(error);
  if (reason !== undefined)
    context.givenUp ??= { error: reason, why: 'It was not sent, because the first prompts were refused.' };
}

/** Records the prompts of a batch as not sent, so that the result has a row for each prompt. */
export function leaveUnsent(
  context: RunContext,
  batch: Batch,
  { error, why }: NonNullable<RunContext['givenUp']>,
): Promise<void> {
  return recordAndSettle(context, failures(batch, 'error', error, `${error.message} ${why}`));
}

// These rows have no scan to poll, so a later run needs them in the notes.
async function recordAndSettle(context: RunContext, rows: readonly Row[]): Promise<void> {
  await context.notes.completed(rows);
  await context.settle(rows);
}

function failures(batch: Batch, status: 'unknown' | 'error', error: AisecError, message = error.message): Row[] {
  return batch.map((prompt) => failedRow(prompt, status, error, undefined, message));
}
