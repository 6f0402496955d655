/**
 * Maps the neutral names of this project to the public API of the service: hosts, prefixes, header names. Only
 * `docs/wire.md`, this file and `tokens.ts` name that API.
 */

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
