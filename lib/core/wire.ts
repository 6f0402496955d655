/**
 * Maps the neutral names of this project to the public API of the service: hosts, prefixes, header names, and
 * enumeration values. Only this file and `docs/wire.md` name that API.
 */

import { isObject, setOwn } from './json.ts';
import { isOwn } from './text/own.ts';

export interface PlaneWire {
  /** The setting that holds the plane's base address. */
  base: 'url' | 'scanner_base_url' | 'dlp_base_url';
  /** Inserted between base address and path, unless the base address already ends in it. */
  prefix: string;
  auth: 'token' | 'key';
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  /** Name of the plane in messages. */
  title: string;
}

const SERVICE = { 'service-name': 'api' };

/** Describes a plane below the management address. */
function below(prefix: string, title: string): PlaneWire {
  return { base: 'url', prefix, auth: 'token', headers: SERVICE, title };
}

const planes = {
  management: { base: 'url', prefix: '/aisec', auth: 'token', headers: SERVICE, title: 'management API' },
  scanner: { base: 'scanner_base_url', prefix: '', auth: 'key', headers: {}, title: 'scanner API' },
  dlp: { base: 'dlp_base_url', prefix: '', auth: 'token', headers: SERVICE, title: 'DLP API' },
  'model-data': below('/aims/data', 'model security API'),
  'model-management': below('/aims/mgmt', 'model security API'),
  'red-team-data': below('/ai-red-teaming/data-plane', 'red-team API'),
  'red-team-management': below('/ai-red-teaming/mgmt-plane', 'red-team API'),
  'network-broker': below('/ai-red-teaming/data-plane/network-broker', 'network broker API'),
} satisfies Record<string, PlaneWire>;

export type Plane = keyof typeof planes;
export const PLANES: Readonly<Record<Plane, PlaneWire>> = planes;

/** Members of responses that are always secret, even if no record shows them. */
export const SECRET_MEMBERS: readonly string[] = [
  'api_key',
  'auth_code',
  'client_secret',
  'access_token',
  'token_preview',
];

export const KEY_HEADER = 'x-pan-token';
export const SIMULATED_HEADER = 'x-aisec-simulated';
export const REQUEST_ID_HEADERS = ['x-request-id', 'x-correlation-id', 'request-id'];

export const TOKEN_URL = 'https://auth.apps.paloaltonetworks.com/oauth2/access_token';
export const DLP_URL = 'https://api.dlp.paloaltonetworks.com';
export const SCANNER_URLS = {
  US: 'https://service.api.aisecurity.paloaltonetworks.com',
  EU: 'https://service-de.api.aisecurity.paloaltonetworks.com',
  IN: 'https://service-in.api.aisecurity.paloaltonetworks.com',
  SG: 'https://service-sg.api.aisecurity.paloaltonetworks.com',
} as const;

export type TokenFamily = 'cloud' | 'source' | 'vendor' | 'outcome' | 'file-result';

/** If several wire values map to one token, the first is sent. */
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

/** Returns a neutral token together with all its wire values. */
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
