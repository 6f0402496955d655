/**
 * The neutral tokens of the interface and the wire's own words for them, both ways, in one table.
 * A value that is not in the table passes through unchanged: the service may learn new ones.
 */
import type { TokenFamily } from '../arguments/words.ts';
import { isOwn } from '../text/own.ts';

const TOKENS: Readonly<Record<TokenFamily, Readonly<Record<string, string>>>> = {
  cloud: { cloud_a: 'aws', cloud_b: 'azure', cloud_c: 'gcp' },
  source: { MODEL_HUB: 'HUGGING_FACE', LOCAL: 'LOCAL', STORE_A: 'S3', STORE_B: 'GCS', STORE_C: 'AZURE' },
  vendor: {
    VENDOR_A: 'OPENAI',
    VENDOR_B: 'HUGGING_FACE',
    VENDOR_C: 'DATABRICKS',
    VENDOR_D: 'BEDROCK',
    VENDOR_E: 'MS_COPILOT_STUDIO',
  },
};

/** What travels for a neutral token. */
export function toWire(family: TokenFamily, value: string): string {
  const table = TOKENS[family];
  return isOwn(table, value) ? (table[value] ?? value) : value;
}

/** The neutral token for what the service sent. */
export function toNeutral(family: TokenFamily, value: string): string {
  const found = Object.entries(TOKENS[family]).filter(([, wire]) => wire === value)[0];
  return found === undefined ? value : found[0];
}
