/** The requests of a bulk scan. Each is a single attempt, because the shared pace decides on retries. */

import {
  AisecError,
  NetworkError,
  ProxyError,
  RateLimitError,
  RefusedError,
  ResponseError,
  ServiceError,
  TlsError,
} from '../../../lib/core/errors.ts';
import { asText, type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { isOwn } from '../../../lib/core/text/own.ts';
import { type Call, scanner } from '../../../lib/runtime/api/call.ts';
import { path } from '../../../lib/runtime/api/path.ts';
import { scanBody } from '../scan-body.ts';
import type { Prompt } from './rows.ts';

/** Fields that all scans of a run share. */
export interface Subject {
  readonly profile_name: string;
  readonly session_id: string | undefined;
}

/** Limits of the scanner, in bytes and in number; source: `docs/wire.md`. */
export const LIMITS = { promptBytes: 2_097_152, batchBytes: 4_900_000, batch: 20, scanIds: 5 } as const;

const ATTEMPT_MS = 60_000;

/** Builds a synchronous scan of one prompt. A scan changes nothing, so it can be retried. */
export function scanSync(subject: Subject, prompt: Prompt): Call {
  return scanner.post(path`/v1/scan/sync/request`, scanOf(subject, prompt), {
    repeatable: true,
    attemptMs: ATTEMPT_MS,
  });
}

/** Builds an asynchronous scan of several prompts. A retry after acceptance would scan them, and bill them, twice. */
export function scanAsync(subject: Subject, prompts: readonly Prompt[]): Call {
  const body = prompts.map((prompt) => ({ req_id: prompt.row, scan_req: scanOf(subject, prompt) }));
  return scanner.post(path`/v1/scan/async/request`, body, { repeatable: false, attemptMs: ATTEMPT_MS });
}

/** Builds a poll for the results of several scans. */
export function resultsOf(scanIds: readonly string[]): Call {
  const call = scanner.get(path`/v1/scan/results`, { scan_ids: scanIds.join(',') });
  return { ...call, array: true, attemptMs: ATTEMPT_MS };
}

function scanOf({ profile_name, session_id }: Subject, { text, content }: Prompt) {
  const prompt = content !== undefined && text.trim() === '' ? undefined : text;
  return scanBody({ profile_name, session_id, prompt, ...content });
}

/** Reads the id for polling results. @throws ResponseError when the answer has no id */
export function scanIdIn(answer: JsonObject): string {
  const id = answer['scan_id'];
  if (typeof id === 'string' && id !== '') return id;
  throw new ResponseError('The scanner accepted prompts without a scan id for them.');
}

/** State and result of one prompt. */
export interface PromptState {
  readonly state: 'complete' | 'failed' | 'pending';
  readonly result: JsonObject;
}

const FINAL: Readonly<Record<string, PromptState['state']>> = {
  complete: 'complete',
  completed: 'complete',
  failed: 'failed',
};

/**
 * Indexes a poll result by scan id and row. Items come in any order, and a prompt may have several: a final state wins
 * over others, and a verdict over a failure.
 */
export function promptStates(answer: JsonObject): (scanId: string, row: number) => PromptState | undefined {
  const states = new Map<string, PromptState>();
  for (const { scan_id, req_id, status, result } of objectsOf(answer['items'])) {
    const word = asText(status).trim().toLowerCase();
    const state = (isOwn(FINAL, word) ? FINAL[word] : undefined) ?? 'pending';
    const key = `${asText(scan_id)} ${asText(req_id)}`;
    const before = states.get(key)?.state;
    if (before === undefined || before === 'pending' || state === 'complete') {
      states.set(key, { state, result: objectOf(result) });
    }
  }
  return (scanId, row) => states.get(`${scanId} ${row}`);
}

/**
 * Classifies a failed request: `throttled`, retry it later; `refused`, its content is wrong; `unavailable`, the next
 * request may succeed; `fatal`, no other request will succeed.
 */
export function classifyFailure(error: unknown): 'throttled' | 'refused' | 'unavailable' | 'fatal' {
  if (!(error instanceof AisecError) || error instanceof TlsError || error instanceof ProxyError) return 'fatal';
  if (error instanceof RateLimitError) return 'throttled';
  if (error instanceof RefusedError) return 'refused';
  if (error instanceof NetworkError || error instanceof ResponseError) return 'unavailable';
  const { status = 0 } = error;
  return error instanceof ServiceError && (status >= 500 || status === 408) ? 'unavailable' : 'fatal';
}

/** Reports whether the service may have processed a failed request. */
export function mayHaveArrived(error: unknown): boolean {
  return !(error instanceof NetworkError) || error.sent;
}
