/** Reads the verdict of a scan from the service's response. */
import { isObject, objectOf } from '../core/json.ts';
import type { Cause, ContentKind, Verdict } from './types.ts';

/** The verdict of a response; `cause` is set if it has no complete allow or block. */
export interface Reading {
  readonly verdict: Verdict;
  readonly cause?: Cause;
  readonly masked?: string;
  readonly scanId?: string;
  readonly reportId?: string;
}

const FLAGS = ['prompt_detected', 'response_detected'];

/** Reads a response. Only an exact `allow` or `block` of a complete scan is a verdict. */
export function readVerdict(raw: unknown, kind: ContentKind): Reading {
  const response = objectOf(raw);
  // Remembered verdicts are handed to listeners.
  const verdict = Object.freeze({
    action: textIn(response['action']) ?? '',
    category: textIn(response['category']) ?? '',
    profile: textIn(response['profile_name']) ?? '',
    detectors: Object.freeze(detectorsIn(response)),
  });
  const cause = causeIn(response);
  const masked = textIn(objectOf(response[kind === 'input' ? 'prompt_masked_data' : 'response_masked_data'])['data']);
  const [scanId, reportId] = [textIn(response['scan_id']), textIn(response['report_id'])];
  return {
    verdict,
    ...(cause === undefined ? {} : { cause }),
    ...(masked === undefined ? {} : { masked }),
    ...(scanId === undefined ? {} : { scanId }),
    ...(reportId === undefined ? {} : { reportId }),
  };
}

function causeIn(response: Readonly<Record<string, unknown>>): Cause | undefined {
  const { action, category, timeout, error } = response;
  // A block stands, whatever else failed.
  if (action === 'block') return undefined;
  if (action !== 'allow') return 'unknown-action';
  const isComplete = timeout === false && error === false && category !== 'timeout' && category !== 'error';
  return isComplete ? undefined : 'incomplete';
}

function detectorsIn(response: Readonly<Record<string, unknown>>): string[] {
  const summary = objectOf(objectOf(response['tool_detected'])['summary']);
  const flags = [...FLAGS.map((name) => response[name]), summary['detections']].filter(isObject);
  const fired = flags.flatMap((each) => Object.keys(each).filter((name) => each[name] === true));
  return [...new Set(fired)];
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
