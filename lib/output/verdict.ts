/** The verdict of a scan, for hosts that decide by it. */

import type { JsonObject } from '../core/json.ts';
import { plural } from '../text/numbers.ts';

/** `allow` and `block` are certain; an uncertain verdict is its reason, as a sentence. */
export type Verdict = 'allow' | 'block' | { readonly doubt: string };

/** Reads an action, ignoring case. */
export function actionOf(action: unknown): 'allow' | 'block' | undefined {
  const name = typeof action === 'string' ? action.trim().toLowerCase() : '';
  return name === 'allow' || name === 'block' ? name : undefined;
}

const CATEGORIES = ['benign', 'malicious'];

/** Reads the verdict of one scan. Only an allow of a complete scan is an `allow`. */
export function scanVerdict({ action, category, timeout, error, errors }: JsonObject): Verdict {
  const known = actionOf(action);
  if (known === 'block') return known;
  if (known === undefined) return { doubt: `The action ${quoted(action)} is neither allow nor block.` };
  if (isSet(timeout)) return { doubt: 'A detector timed out: the verdict is incomplete.' };
  if (isSet(error) || isSet(errors)) return { doubt: 'A detector failed: the verdict is incomplete.' };
  if (CATEGORIES.includes(String(category).toLowerCase())) return known;
  return { doubt: `The category ${quoted(category)} is unknown, so the action allow is not certain.` };
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

function isSet(value: unknown): boolean {
  return !(value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0));
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : 'of the response';
}
