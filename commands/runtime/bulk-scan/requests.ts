/** Sends the requests of a bulk scan and handles their responses. */
import type { Api } from '../../../lib/api/client.ts';
import { type AisecError, CancelledError, NotFoundError, toAisecError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Batch, Batches } from './batches.ts';
import { classifyFailure, mayHaveArrived, resultsOf, type Subject, scanAsync, scanIdIn, scanSync } from './calls.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Notes } from './journal.ts';
import { failedRow, type Prompt, type Row, verdictRow } from './rows.ts';
import type { Scan, Scans } from './scans.ts';

/** State that all requests of a run share. */
export interface RunContext {
  readonly subject: Subject;
  readonly api: Pick<Api, 'fetch'>;
  readonly batches: Batches;
  readonly scans: Scans;
  readonly breaker: CircuitBreaker;
  readonly notes: Notes;
  /** Attempts of synchronous scans, by row. */
  readonly attempts: Map<number, number>;
  /** Set when no further requests are sent. */
  givenUp?: AisecError;
  /** Number of scans in one poll. */
  idsPerPoll: number;
  /** Rows of prompts that may have been scanned more than once, one entry for each extra scan. */
  readonly again: number[];
  /** Records finished rows. */
  settle(rows: readonly Row[]): Promise<void>;
}

/** Maximum attempts of a synchronous scan. */
const MAX_ATTEMPTS = 3;

/** Submits a batch for asynchronous scanning. */
export async function submit(context: RunContext, batch: Batch): Promise<void> {
  const { prompts } = batch;
  await context.notes.sending(prompts);
  let scanId: string;
  try {
    scanId = scanIdIn(await context.api.fetch(scanAsync(context.subject, prompts)));
  } catch (thrown) {
    return handleSubmitFailure(context, batch, thrown);
  }
  context.breaker.succeed();
  context.batches.accepted(batch);
  await context.notes.accepted(scanId, prompts);
  context.scans.add(scanId, prompts);
}

// A request that may have arrived is not retried: its prompts would be scanned, and billed, twice.
async function handleSubmitFailure(context: RunContext, batch: Batch, thrown: unknown): Promise<void> {
  // The request may have been sent before the stop, so the journal keeps the note that it was in flight.
  if (thrown instanceof CancelledError) throw thrown;
  const error = toAisecError(thrown);
  const isUnknown = classifyFailure(thrown) === 'unavailable' && mayHaveArrived(thrown);
  if (isUnknown) await recordAndSettle(context, failures(batch, 'unknown', error));
  else await context.notes.unsent(batch.prompts);
  const kind = context.breaker.fail(thrown);
  if (kind === 'refused') await refuse(context, batch, error);
  else if (isUnknown) context.batches.lost(batch);
  else context.batches.back(batch);
}

/** Scans one prompt, and waits for its verdict. */
export async function scanAlone(context: RunContext, batch: Batch, prompt: Prompt): Promise<void> {
  await context.notes.sending([prompt]);
  let answer: JsonObject;
  try {
    answer = await context.api.fetch(scanSync(context.subject, prompt));
  } catch (thrown) {
    return handleScanFailure(context, batch, prompt, thrown);
  }
  context.breaker.succeed();
  return recordAndSettle(context, [verdictRow(prompt, answer)]);
}

async function handleScanFailure(context: RunContext, batch: Batch, prompt: Prompt, thrown: unknown): Promise<void> {
  if (thrown instanceof CancelledError) throw thrown;
  const mayBeScanned = classifyFailure(thrown) === 'unavailable' && mayHaveArrived(thrown);
  if (!mayBeScanned) await context.notes.unsent([prompt]);
  const kind = context.breaker.fail(thrown);
  if (kind === 'refused') return refuse(context, batch, toAisecError(thrown));
  const attempt = (context.attempts.get(prompt.row) ?? 0) + (kind === 'unavailable' ? 1 : 0);
  context.attempts.set(prompt.row, attempt);
  if (attempt >= MAX_ATTEMPTS) return recordAndSettle(context, failures(batch, 'error', toAisecError(thrown)));
  if (mayBeScanned) {
    context.again.push(prompt.row);
    await context.notes.again([prompt.row]);
  }
  return context.batches.back(batch);
}

/** Polls the results of scans. */
export async function poll(context: RunContext, polled: readonly Scan[]): Promise<void> {
  let answer: JsonObject;
  try {
    answer = await context.api.fetch(resultsOf(polled.map(({ id }) => id)));
    context.breaker.succeed();
  } catch (thrown) {
    // The service does not know any of the scans yet.
    if (thrown instanceof NotFoundError) answer = {};
    else return handlePollFailure(context, polled, thrown);
  }
  await context.settle(context.scans.pollResult(polled, answer));
}

async function handlePollFailure(context: RunContext, polled: readonly Scan[], thrown: unknown): Promise<void> {
  const kind = context.breaker.fail(thrown);
  const [only, ...others] = polled;
  if (kind === 'refused' && only !== undefined && others.length === 0) {
    return context.settle(context.scans.lost(only, toAisecError(thrown)));
  }
  if (kind === 'refused') context.idsPerPoll = Math.ceil(polled.length / 2);
  context.scans.pollFailed(polled);
}

async function refuse(context: RunContext, batch: Batch, error: AisecError): Promise<void> {
  if (context.batches.refused(batch)) return;
  await recordAndSettle(context, failures(batch, 'error', error));
  context.breaker.refuse(error);
}

/** Records the prompts of a batch as not sent, so that the result has a row for each prompt. */
export async function leaveUnsent(context: RunContext, { prompts }: Batch, error: AisecError): Promise<void> {
  const why =
    context.givenUp === undefined ? 'It was not sent, because the first prompts were refused.' : 'It was not sent.';
  const message = `${error.message} ${why}`;
  const rows = prompts.map((prompt) => failedRow(prompt, 'error', error, undefined, message));
  await recordAndSettle(context, rows);
}

// These rows have no scan to poll, so a later run needs them in the notes.
async function recordAndSettle(context: RunContext, rows: readonly Row[]): Promise<void> {
  await context.notes.completed(rows);
  await context.settle(rows);
}

function failures({ prompts }: Batch, status: 'unknown' | 'error', error: AisecError): Row[] {
  const message = status === 'unknown' ? `${error.message} Whether the prompt was scanned is unknown.` : error.message;
  return prompts.map((prompt) => failedRow(prompt, status, error, undefined, message));
}
