/** Tenant identities: what they depend on, and what they do not reveal. */

import type { Settings } from '../../../lib/core/parameters.ts';
import { isTenantIdentity, SIMULATED_TENANT, tenantIdentity } from '../../../lib/node/settings/tenant-identity.ts';
import { resolveSettings } from '../../../lib/runtime/settings/settings.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const settingsOf = (file: Partial<Settings>) => resolveSettings({ environment: {}, file }).settings;
const identityOf = (file: Partial<Settings>) => tenantIdentity(settingsOf(file));

const TENANT = { url: 'https://management.example.com', tsg_id: '1234567890', client_id: 'one', client_secret: 'two' };
const SCANNER = { runtime_api_key: 'key-of-a-scanner' };

describe('The identity of a tenant', () => {
  it.each([
    ['its credentials', TENANT, { ...TENANT, client_id: 'other', client_secret: 'other', runtime_api_key: 'key' }],
    ['an address written differently', TENANT, { ...TENANT, url: 'https://MANAGEMENT.example.com/' }],
    ['an explicit default', TENANT, { ...TENANT, scanner_base_url: settingsOf({}).scanner_base_url }],
    ['how it is reached', TENANT, { ...TENANT, proxy: true, token_url: 'https://token.example.com' }],
  ])('does not depend on %s', async (_what, first, second) => {
    expect(await identityOf(second)).toBe(await identityOf(first));
  });

  scenario.each([
    { what: 'the tenant services group', first: TENANT, second: { ...TENANT, tsg_id: '1234567891' } },
    { what: 'the address', first: TENANT, second: { ...TENANT, url: 'https://other.example.com' } },
    { what: 'the region', first: TENANT, second: { ...TENANT, scanner_base_url: 'https://eu.example.com' } },
    { what: 'the key of a scanner without a group', first: SCANNER, second: { runtime_api_key: 'another-key' } },
    { what: 'whether there is a group', first: SCANNER, second: { ...SCANNER, tsg_id: '1' } },
    { what: 'which part has a value', first: { tsg_id: '12' }, second: { client_id: '12' } },
  ])('tenant-identity', 'depends on $what', async ({ first, second }) => {
    const identities = [await identityOf(first), await identityOf(second)];
    expect(new Set([...identities, SIMULATED_TENANT]).size).toBe(3);
    expect(identities.every(isTenantIdentity)).toBe(true);
  });

  it('contains no part of a key', async () => {
    const identity = await identityOf({ runtime_api_key: '0123456789abcdef' });
    expect(identity).not.toMatch(/0123|4567|89ab|cdef/);
  });
});
