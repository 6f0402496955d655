/** Identities of tenants: what they depend on, and what they do not show. */
import { isTenantIdentity, SIMULATED_TENANT, tenantIdentity } from '../../lib/node/tenant-identity.ts';
import { checkUnchanged, sectionFor, type TenantSection } from '../../lib/runs/tenant-sections.ts';
import type { Settings } from '../../lib/settings/parameters.ts';
import { resolveSettings } from '../../lib/settings/settings.ts';
import { scenario } from '../scenarios/claims.ts';

const settingsOf = (file: Partial<Settings>) => resolveSettings({ environment: {}, file }).settings;
const identityOf = (file: Partial<Settings>) => tenantIdentity(settingsOf(file));

const TENANT = { url: 'https://management.example.com', tsg_id: '1234567890', client_id: 'one', client_secret: 'two' };
const SCANNER = { runtime_api_key: 'key-of-a-scanner' };

describe('The identity of a tenant', () => {
  it.each([
    ['its credentials', TENANT, { ...TENANT, client_id: 'other', client_secret: 'other', runtime_api_key: 'key' }],
    ['an address written differently', TENANT, { ...TENANT, url: 'https://MANAGEMENT.example.com/' }],
    ['a default that is written out', TENANT, { ...TENANT, scanner_base_url: settingsOf({}).scanner_base_url }],
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
    { what: 'which part has a text', first: { tsg_id: '12' }, second: { client_id: '12' } },
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

describe('Sections of one tenant', () => {
  const section = (label: string, file: Partial<Settings>) => {
    return { tenant: label, label, identity: 'a'.repeat(32), settings: settingsOf(file) };
  };
  const [reader, admin] = [section('reader', { ...TENANT, client_id: 'reader' }), section('admin', TENANT)];

  it.each([
    ['the section of the same name', [reader, admin], 'admin', 'admin'],
    ['the only section, whatever its name', [admin], 'live', 'admin'],
    ['any of several with the same credentials', [admin, { ...admin, tenant: 'b', label: 'b' }], 'live', 'admin'],
  ])('work is done by %s', (_what, sections, label, expected) => {
    expect(sectionFor(sections, label).tenant).toBe(expected);
  });

  scenario('tenant-identity', 'are refused if the name does not decide between credentials', () => {
    expect(() => sectionFor([reader, admin], 'live')).toThrow('none is named "live"');
    expect(() => sectionFor([reader, admin], '')).toThrow('different credentials');
  });

  scenario('tenant-identity', 'are refused after their settings have changed', () => {
    const known: TenantSection = admin;
    expect(() => checkUnchanged(known, settingsOf(TENANT))).not.toThrow();
    expect(() => checkUnchanged(known, settingsOf({ ...TENANT, tsg_id: '9' }))).toThrow('have changed since the start');
  });
});
