/** What a bulk scan asks the service, and what it makes of every kind of answer. */
import type { Api } from '../../../lib/api/client.ts';
import { type AisecError, CancelledError, NotFoundError, toAisecError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Batch, Batches } from './batches.ts';
import { mayHaveArrived, meaningOf, resultsOf, type Subject, scanIdIn, scanLater, scanNow } from './calls.ts';
import type { Patience } from './circuit-breaker.ts';
import type { Notes } from './journal.ts';
import { failedRow, type Prompt, type Row, verdictRow } from './rows.ts';
import type { Scan, Scans } from './scans.ts';

/** What all requests of a run share. */
export interface Desk {
  readonly subject: Subject;
  readonly api: Pick<Api, 'fetch'>;
  readonly batches: Batches;
  readonly scans: Scans;
  readonly patience: Patience;
  readonly notes: Notes;
  /** How often a prompt was tried alone, by its row. */
  readonly tries: Map<number, number>;
  /** So many scans are asked for at once. */
  idsPerLook: number;
  /** Rows of prompts that may have been scanned once too often, each as often as that. */
  readonly again: number[];
  /** Takes rows that are finished. */
  settle(rows: readonly Row[]): Promise<void>;
}

/** One prompt is tried so often, when it is scanned alone. */
const TRIES = 3;

/** Sends a batch, to be scanned by and by. */
export async function submit(desk: Desk, batch: Batch): Promise<void> {
  const { prompts } = batch;
  await desk.notes.sending(prompts);
  let scanId: string;
  try {
    scanId = scanIdIn(await desk.api.fetch(scanLater(desk.subject, prompts)));
  } catch (thrown) {
    return notSubmitted(desk, batch, thrown);
  }
  desk.patience.succeed();
  desk.batches.accepted(batch);
  await desk.notes.taken(scanId, prompts);
  desk.scans.add(scanId, prompts);
}

// What may have arrived is never sent again: it would be scanned, and billed, twice.
async function notSubmitted(desk: Desk, batch: Batch, thrown: unknown): Promise<void> {
  // It may have left just before the user stopped it; only the note that it was being sent is right.
  if (thrown instanceof CancelledError) throw thrown;
  const error = toAisecError(thrown);
  const isUnknown = meaningOf(thrown) === 'trouble' && mayHaveArrived(thrown);
  if (isUnknown) await settleForGood(desk, failures(batch, 'unknown', error));
  else await desk.notes.unsent(batch.prompts);
  const meaning = desk.patience.fail(thrown);
  if (meaning === 'refused') await refuse(desk, batch, error);
  else if (isUnknown) desk.batches.lost(batch);
  else desk.batches.back(batch);
}

/** Scans one prompt, and waits for its verdict. */
export async function scanAlone(desk: Desk, batch: Batch, prompt: Prompt): Promise<void> {
  await desk.notes.sending([prompt]);
  let answer: JsonObject;
  try {
    answer = await desk.api.fetch(scanNow(desk.subject, prompt));
  } catch (thrown) {
    return notScanned(desk, batch, prompt, thrown);
  }
  desk.patience.succeed();
  return settleForGood(desk, [verdictRow(prompt, answer)]);
}

async function notScanned(desk: Desk, batch: Batch, prompt: Prompt, thrown: unknown): Promise<void> {
  if (thrown instanceof CancelledError) throw thrown;
  const mayBeScanned = meaningOf(thrown) === 'trouble' && mayHaveArrived(thrown);
  if (!mayBeScanned) await desk.notes.unsent([prompt]);
  const meaning = desk.patience.fail(thrown);
  if (meaning === 'refused') return refuse(desk, batch, toAisecError(thrown));
  const tried = (desk.tries.get(prompt.row) ?? 0) + (meaning === 'trouble' ? 1 : 0);
  desk.tries.set(prompt.row, tried);
  if (tried >= TRIES) return settleForGood(desk, failures(batch, 'error', toAisecError(thrown)));
  if (mayBeScanned) {
    desk.again.push(prompt.row);
    await desk.notes.again([prompt.row]);
  }
  return desk.batches.back(batch);
}

/** Asks for the results of scans. */
export async function look(desk: Desk, looked: readonly Scan[]): Promise<void> {
  let answer: JsonObject;
  try {
    answer = await desk.api.fetch(resultsOf(looked.map(({ id }) => id)));
    desk.patience.succeed();
  } catch (thrown) {
    // None of the scans is known, or not yet.
    if (thrown instanceof NotFoundError) answer = {};
    else return notLooked(desk, looked, thrown);
  }
  await desk.settle(desk.scans.told(looked, answer));
}

async function notLooked(desk: Desk, looked: readonly Scan[], thrown: unknown): Promise<void> {
  const meaning = desk.patience.fail(thrown);
  const [only, ...others] = looked;
  if (meaning === 'refused' && only !== undefined && others.length === 0) {
    return desk.settle(desk.scans.lost(only, toAisecError(thrown)));
  }
  if (meaning === 'refused') desk.idsPerLook = Math.ceil(looked.length / 2);
  desk.scans.untold(looked);
}

async function refuse(desk: Desk, batch: Batch, error: AisecError): Promise<void> {
  if (desk.batches.refused(batch)) return;
  await settleForGood(desk, failures(batch, 'error', error));
  desk.patience.refuse(error);
}

// No scan of the service stands for these rows, so a later run finds them in the notes.
async function settleForGood(desk: Desk, rows: readonly Row[]): Promise<void> {
  await desk.notes.found(rows);
  await desk.settle(rows);
}

function failures({ prompts }: Batch, status: 'unknown' | 'error', error: AisecError): Row[] {
  const message = status === 'unknown' ? `${error.message} Whether the prompt was scanned is unknown.` : error.message;
  return prompts.map((prompt) => failedRow(prompt, status, error, undefined, message));
}
