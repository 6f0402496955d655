/**
 * Translates between the neutral tokens of the interface and the values of the wire, by one table.
 * A value that is not in the table passes unchanged, because the service may add new ones.
 */
import { isOwn, setOwn } from '../text/own.ts';
import { isObject } from './json.ts';

export type TokenFamily = 'cloud' | 'source' | 'vendor' | 'outcome' | 'file-result';

/** If several wire values mean one token, the first is sent. */
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

/** Returns the wire value of a neutral token. */
export function toWire(family: TokenFamily, value: string): string {
  const table = TOKENS[family];
  return isOwn(table, value) ? (wireValues(table[value])[0] ?? value) : value;
}

/** Returns the neutral token of a wire value. */
export function toNeutral(family: TokenFamily, value: string): string {
  const match = Object.entries(TOKENS[family]).filter(([, wire]) => wireValues(wire).indexOf(value) >= 0)[0];
  return match === undefined ? value : match[0];
}

/** Returns a neutral token with all its wire values. */
export function spellingsOf(family: TokenFamily, token: string): readonly string[] {
  const table = TOKENS[family];
  return [token, ...wireValues(isOwn(table, token) ? table[token] : undefined)];
}

/** Translates a string or the strings of a list to neutral tokens; other values pass unchanged. */
export function neutralTexts(family: TokenFamily, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => neutralTexts(family, item));
  return typeof value === 'string' ? toNeutral(family, value) : value;
}

/** Translates the names of an object's members to neutral tokens. */
export function neutralKeys(family: TokenFamily, value: unknown): unknown {
  if (!isObject(value)) return value;
  const neutral: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(neutral, toNeutral(family, name), member);
  return neutral;
}

function wireValues(wire: string | readonly string[] | undefined): readonly string[] {
  return wire === undefined ? [] : typeof wire === 'string' ? [wire] : wire;
}
