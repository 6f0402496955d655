/** The one reading of an answer of the scanner: every host, gate, report and guard decides by it. */

import { isObject, type JsonObject, objectOf, objectsOf } from '../core/json.ts';
import { plural } from '../text/numbers.ts';

/** Why an answer has no verdict. */
export type NoVerdict = 'timeout' | 'error' | 'action' | 'category' | 'missing';

/** What an answer says; the detectors are those that fired, whatever the profile makes of them. */
export type Reading =
  | { readonly decision: 'allow' | 'block'; readonly detectors: readonly string[] }
  | { readonly decision: 'none'; readonly cause: NoVerdict; readonly detectors: readonly string[] };

/** `allow` and `block` are certain; an uncertain verdict is its reason, as a sentence. */
export type Verdict = 'allow' | 'block' | { readonly doubt: string };

const REFUSALS = ['block', 'blocked', 'deny', 'denied', 'reject', 'rejected', 'refuse', 'refused'];
/** The profile may only watch: then it allows what it found malicious. */
const CATEGORIES = ['benign', 'malicious'];
const TEXTS = ['prompt_detected', 'response_detected', 'tool_detected'];

/** Reads the answer about one scan, or one row of a bulk scan. Only a complete allow is an `allow`; a refusal always stands. */
export function readVerdict(answer: unknown): Reading {
  const members = objectOf(answer);
  const detectors = detectorsOf(members);
  if (isRefusal(members['action'])) return { decision: 'block', detectors };
  const cause = isObject(answer) ? causeIn(members) : 'missing';
  return cause === undefined ? { decision: 'allow', detectors } : { decision: 'none', cause, detectors };
}

/** Names the detectors that fired in any text of an answer. */
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

/** Reads the verdict of one scan for people: a doubt is a sentence. */
export function scanVerdict(answer: unknown): Verdict {
  const reading = readVerdict(answer);
  return reading.decision === 'none' ? { doubt: doubtOf(reading.cause, answer) } : reading.decision;
}

/** Says why an answer has no verdict. */
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

/** Reads the verdict of many scans from their counts; `uncertain` counts allowed scans with an incomplete verdict. */
export function bulkVerdict({ total, blocked, allowed, uncertain }: JsonObject): Verdict {
  if (Number(blocked) > 0) return 'block';
  if (!(Number(total) > 0)) return { doubt: 'No prompt was scanned.' };
  const open = Number(total) - Number(allowed);
  if (open !== 0) return { doubt: `No verdict of allow or block for ${plural(open, 'prompt')}.` };
  if (uncertain === 0) return 'allow';
  return {
    doubt: `A detector timed out or failed, or the category is unknown, for ${plural(Number(uncertain), 'prompt')}.`,
  };
}

/** Reads an action, ignoring case. */
export function actionOf(action: unknown): 'allow' | 'block' | undefined {
  return isRefusal(action) ? 'block' : isAllow(action) ? 'allow' : undefined;
}

/** Reports whether an action allows, letter case aside, whatever else the answer says. */
export function isAllow(action: unknown): boolean {
  return lower(action) === 'allow';
}

function isRefusal(action: unknown): boolean {
  return REFUSALS.indexOf(lower(action).trim()) >= 0;
}

/** Returns why an answer without a refusal is no complete allow. */
function causeIn(answer: JsonObject): NoVerdict | undefined {
  const { action, category, timeout, error, errors } = answer;
  const kind = lower(category);
  if (!isAllow(action)) return 'action';
  if (isSet(timeout) || kind === 'timeout') return 'timeout';
  if (isSet(error) || !isEmpty(errors) || kind === 'error') return 'error';
  if (CATEGORIES.indexOf(kind) < 0) return 'category';
  const isComplete = timeout === false && error === false && TEXTS.some((text) => isObject(answer[text]));
  return isComplete ? undefined : 'missing';
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** Any form of a mark counts; a list or an object in its place is not a mark, and the answer has none then. */
function isSet(mark: unknown): boolean {
  return mark === true || (typeof mark === 'number' && mark !== 0) || (typeof mark === 'string' && mark !== '');
}

function isEmpty(errors: unknown): boolean {
  return errors === undefined || errors === null || (Array.isArray(errors) && errors.length === 0);
}

function isFlagged(flag: unknown): boolean {
  return flag === true || flag === 1 || flag === '1' || lower(flag) === 'true';
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : 'of the response';
}
