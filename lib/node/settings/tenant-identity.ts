/**
 * Identifies a tenant by its identity in the service, so that every process uses the same name, whatever the tenant's
 * section is called.
 */
import { createHash, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Settings } from '../../core/parameters.ts';

/** 128 bits rule out collisions. */
const DIGITS = 32;
const IDENTITY = /^[0-9a-f]{32}$/;

/** The identity of all simulated services. */
export const SIMULATED_TENANT = digest(['simulated']);

/** Reports whether a string is an identity. */
export function isTenantIdentity(text: string): boolean {
  return IDENTITY.test(text);
}

/** Shortens an identity for people. */
export function shortIdentity(identity: string): string {
  return identity.slice(0, 8);
}

/**
 * Returns the identity of a tenant: its tenant services group together with its addresses. A tenant without a group is identified
 * by its client and runtime key; the key is hashed with scrypt, because anyone who reads the queue sees identities.
 */
export async function tenantIdentity(settings: Settings): Promise<string> {
  const { url = '', scanner_base_url, dlp_base_url, tsg_id = '', client_id = '', runtime_api_key = '' } = settings;
  const addresses = [url, scanner_base_url, dlp_base_url];
  if (tsg_id !== '') return digest(['group', tsg_id, ...addresses]);
  const key = runtime_api_key === '' ? '' : await fingerprint(runtime_api_key, digest(['salt', ...addresses]));
  return digest(['client', client_id, key, ...addresses]);
}

async function fingerprint(secret: string, salt: string): Promise<string> {
  const derived = (await promisify(scrypt)(secret, salt, 16)) as Buffer;
  return derived.toString('hex');
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, DIGITS);
}
