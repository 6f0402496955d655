/**
 * The neutral tokens of the interface and the wire's own words for them, both ways, in one table.
 * A value that is not in the table passes through unchanged: the service may learn new ones.
 */
import type { TokenFamily } from '../arguments/words.ts';
import { isObject } from '../json.ts';
import { isOwn, setOwn } from '../text/own.ts';

/** Where several words of the wire mean one token, the first of them is sent. */
const TOKENS: Readonly<Record<TokenFamily, Readonly<Record<string, string | readonly string[]>>>> = {
  cloud: { cloud_a: 'aws', cloud_b: 'azure', cloud_c: 'gcp' },
  source: { MODEL_HUB: 'HUGGING_FACE', LOCAL: 'LOCAL', STORE_A: 'S3', STORE_B: 'GCS', STORE_C: 'AZURE' },
  vendor: {
    VENDOR_A: 'OPENAI',
    VENDOR_B: 'HUGGING_FACE',
    VENDOR_C: 'DATABRICKS',
    VENDOR_D: 'BEDROCK',
    VENDOR_E: 'MS_COPILOT_STUDIO',
  },
  outcome: { PASSED: 'ALLOWED', FAILED: 'BLOCKED' },
  'file-result': { FAILURE: ['FAILED', 'ERROR'] },
};

/** What travels for a neutral token. */
export function toWire(family: TokenFamily, value: string): string {
  const table = TOKENS[family];
  return isOwn(table, value) ? (wordsOf(table[value])[0] ?? value) : value;
}

/** The neutral token for what the service sent. */
export function toNeutral(family: TokenFamily, value: string): string {
  const found = Object.entries(TOKENS[family]).filter(([, wire]) => wordsOf(wire).indexOf(value) >= 0)[0];
  return found === undefined ? value : found[0];
}

/** A neutral token and every word of the wire that means it. */
export function spellingsOf(family: TokenFamily, token: string): readonly string[] {
  const table = TOKENS[family];
  return [token, ...wordsOf(isOwn(table, token) ? table[token] : undefined)];
}

/** The neutral token for each text of a list; what is neither a text nor a list is left alone. */
export function neutralTexts(family: TokenFamily, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => neutralTexts(family, item));
  return typeof value === 'string' ? toNeutral(family, value) : value;
}

/** The same for the names of an object's own members. */
export function neutralKeys(family: TokenFamily, value: unknown): unknown {
  if (!isObject(value)) return value;
  const neutral: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(neutral, toNeutral(family, name), member);
  return neutral;
}

function wordsOf(wire: string | readonly string[] | undefined): readonly string[] {
  return wire === undefined ? [] : typeof wire === 'string' ? [wire] : wire;
}
