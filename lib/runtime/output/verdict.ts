/** Interprets the scanner's answers: every host, gate, report and guard uses this one interpretation. */

import { isObject, type JsonObject, objectOf, objectsOf } from '../../core/json.ts';
import { plural } from '../../core/text/numbers.ts';

/** Why an answer has no verdict. */
export type NoVerdict = (typeof CAUSES)[number];
export const CAUSES = ['timeout', 'error', 'action', 'category', 'missing'] as const;
export const DECISIONS = ['allow', 'block', 'none'] as const;

/** The content of an answer. It lists every detector that fired, whatever action the profile takes. */
export type Reading =
  | { readonly decision: 'allow' | 'block'; readonly detectors: readonly string[] }
  | { readonly decision: 'none'; readonly cause: NoVerdict; readonly detectors: readonly string[] };

/** `allow` and `block` are certain; for an uncertain verdict, a sentence gives the reason. */
export type Verdict = 'allow' | 'block' | { readonly doubt: string };

const REFUSALS = ['block', 'blocked', 'deny', 'denied', 'reject', 'rejected', 'refuse', 'refused'];
/** True if the profile may only be monitoring: it then allows content that it found malicious. */
const CATEGORIES = ['benign', 'malicious'];
const UNFLAGGED = ['', 'false', '0'];
export const TEXTS = ['prompt_detected', 'response_detected', 'tool_detected'];

/**
 * Reads the answer about one scan, or one row of a bulk scan. Only a complete allow counts as `allow`; a block always
 * counts.
 */
export function readVerdict(answer: unknown): Reading {
  const members = objectOf(answer);
  const detectors = detectorsOf(members);
  if (isRefusal(members['action'])) return { decision: 'block', detectors };
  const cause = isObject(answer) ? causeIn(members) : 'missing';
  return cause === undefined ? { decision: 'allow', detectors } : { decision: 'none', cause, detectors };
}

/**
 * Reads a row that a bulk scan wrote, with or without its decision. A block counts whatever else the row says; an allow
 * does not count if the decision contradicts it or the scan did not end.
 */
export function readRow(row: unknown): Reading {
  const reading = readVerdict(row);
  const { decision, decision_cause, status } = objectOf(row);
  const { detectors } = reading;
  const isKept = decision === undefined || decision === null || decision === reading.decision;
  const isOver = reading.decision !== 'allow' || status === undefined || status === 'complete';
  if (reading.decision === 'block' || (isKept && isOver)) return reading;
  return { decision: 'none', cause: CAUSES.find((cause) => cause === decision_cause) ?? 'missing', detectors };
}

/** Reports whether a scan is complete, whatever its action; an `allow` requires it. */
export function readCompleteness(answer: unknown): Reading {
  return readVerdict({ ...objectOf(answer), action: 'allow' });
}

/** Reports whether a verdict is missing because a detector timed out or failed. */
export function isIncomplete(reading: Reading): boolean {
  return reading.decision === 'none' && (reading.cause === 'timeout' || reading.cause === 'error');
}

/** Lists the detectors that fired on any text of an answer. */
export function detectorsOf(answer: unknown): readonly string[] {
  const { prompt_detected, response_detected, tool_detected } = objectOf(answer);
  const { summary, input_detected, output_detected } = objectOf(tool_detected);
  const entries = [input_detected, output_detected].flatMap((text) => objectsOf(objectOf(text)['detection_entries']));
  const found = [
    prompt_detected,
    response_detected,
    ...[summary, ...entries].map((each) => objectOf(each)['detections']),
  ];
  const names = found.flatMap((flags) => {
    const all = objectOf(flags);
    return Object.keys(all).filter((name) => isFlagged(all[name]));
  });
  return names.filter((name, at) => names.indexOf(name) === at);
}

/** Returns the verdict of one scan for people; a sentence describes any uncertainty. */
export function scanVerdict(answer: unknown): Verdict {
  const reading = readVerdict(answer);
  return reading.decision === 'none' ? { doubt: doubtOf(reading.cause, answer) } : reading.decision;
}

/** Explains why an answer has no verdict. */
export function doubtOf(cause: NoVerdict, answer: unknown): string {
  const { action, category } = objectOf(answer);
  switch (cause) {
    case 'action':
      return `The action ${quoted(action)} is neither allow nor block.`;
    case 'timeout':
      return 'A detector timed out: the verdict is incomplete.';
    case 'error':
      return 'A detector failed: the verdict is incomplete.';
    case 'category':
      return `The category ${quoted(category)} is unknown, so the action allow is not certain.`;
    default:
      return 'The response does not say that the scan is complete, so the action allow is not certain.';
  }
}

/**
 * Reads the verdict of many scans from their counts.
 * @param counts `uncertain` counts the scans in `allowed` whose verdict is not complete
 */
export function bulkVerdict({ total, blocked, allowed, errors, uncertain }: JsonObject): Verdict {
  if (Number(blocked) > 0) return 'block';
  if (!(Number(total) > 0)) return { doubt: 'No prompt was scanned.' };
  if (Number(total) !== Number(allowed) + Number(errors)) return { doubt: 'The counts of the scan do not add up.' };
  if (errors !== 0) return { doubt: `No verdict of allow or block for ${plural(Number(errors), 'prompt')}.` };
  if (uncertain === 0) return 'allow';
  const prompts = plural(Number(uncertain), 'prompt');
  return { doubt: `A detector timed out or failed, the category is unknown, or the response is cut, for ${prompts}.` };
}

/** Reads only the action, for counts by action; it is not a verdict. */
export function actionOf(action: unknown): 'allow' | 'block' | undefined {
  return isRefusal(action) ? 'block' : lower(action) === 'allow' ? 'allow' : undefined;
}

function isRefusal(action: unknown): boolean {
  return REFUSALS.indexOf(lower(action).trim()) >= 0;
}

/** Returns why an answer that does not block is not a complete allow either. */
function causeIn(answer: JsonObject): NoVerdict | undefined {
  const { action, category, timeout, error, errors } = answer;
  const kind = lower(category);
  if (lower(action) !== 'allow') return 'action';
  if (isSet(timeout) || kind === 'timeout') return 'timeout';
  if (isSet(error) || !isEmpty(errors) || kind === 'error') return 'error';
  if (CATEGORIES.indexOf(kind) < 0) return 'category';
  const isComplete = timeout === false && error === false && TEXTS.some((text) => isObject(answer[text]));
  return isComplete ? undefined : 'missing';
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** Accepts a mark in any form except a list or an object, which counts as no mark. */
function isSet(mark: unknown): boolean {
  return mark === true || (typeof mark === 'number' && mark !== 0) || (typeof mark === 'string' && mark !== '');
}

function isEmpty(errors: unknown): boolean {
  return errors === undefined || errors === null || (Array.isArray(errors) && errors.length === 0);
}

/** Returns true for anything but a clear no, because an unknown form may report a finding. */
function isFlagged(flag: unknown): boolean {
  if (typeof flag === 'string') return UNFLAGGED.indexOf(lower(flag).trim()) < 0;
  return flag !== undefined && flag !== null && flag !== false && flag !== 0;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : 'of the response';
}
