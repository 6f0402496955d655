/** Sections of the settings file, as the tenants of a process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../lib/core/parameters.ts';
import { SIMULATED_TENANT, tenantIdentity } from '../../../lib/node/tenant-identity.ts';
import { checkUnchanged, isEmptySection, sectionFor, TenantSections } from '../../../lib/runs/tenants.ts';
import { resolveSettings } from '../../../lib/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { never } from './suite.ts';

const FIRST = { url: 'https://first.example', tsg_id: '1', client_id: 'a', client_secret: 'b' };
const SECOND = { ...FIRST, tsg_id: '2' };

const settingsOf = (file: Partial<Settings>) => resolveSettings({ environment: {}, file }).settings;

function sectionsOf(profiles: object, more: object = {}) {
  const configFile = join(temporaryFolder('sections'), 'settings.yml');
  const write = (next: object) => writeFileSync(configFile, JSON.stringify({ profiles: next }), { mode: 0o600 });
  write(profiles);
  return { sections: new TenantSections({ configFile, ...more }, never), write };
}

describe('A section', () => {
  it('is read once, with its tenant', async () => {
    const { sections, write } = sectionsOf({ default: FIRST, other: SECOND });
    const [own, other] = [await sections.of(''), await sections.of('other')];
    expect([own.tenant, own.settings?.tsg_id, other.tenant, other.settings?.tsg_id]).toEqual(['', '1', 'other', '2']);
    expect(own.identity).toBe(await tenantIdentity(settingsOf(FIRST)));
    expect(other.identity).not.toBe(own.identity);
    write({ other: FIRST });
    expect(await sections.of('other')).toBe(other);
  });

  it('that was missing is found after it was added', async () => {
    const { sections, write } = sectionsOf({ default: FIRST });
    await expect(sections.of('other')).rejects.toMatchObject({ code: 'configuration' });
    write({ other: SECOND });
    expect((await sections.of('other')).settings).toMatchObject(SECOND);
  });

  it('of the start uses its options and its environment, unlike a named section', async () => {
    const more = { settings: { client_id: 'option' }, environment: { AISEC_TSG_ID: '9' } };
    const { sections } = sectionsOf({ default: FIRST, other: SECOND }, more);
    expect((await sections.of('')).settings).toMatchObject({ ...FIRST, client_id: 'option', tsg_id: '9' });
    expect((await sections.of('other')).settings).toMatchObject(SECOND);
  });

  it('of the simulated service has no settings, but is not empty', async () => {
    const section = await new TenantSections({ simulate: true }, never).of('x');
    expect(section).toEqual({ tenant: 'x', identity: SIMULATED_TENANT, settings: undefined });
    expect(isEmptySection(section)).toBe(false);
    const used = settingsOf(FIRST);
    expect(() => checkUnchanged(section, used)).not.toThrow();
  });

  it.each([
    [{}, true],
    [{ proxy: settingsOf({}).proxy }, true],
    [{ tsg_id: '1' }, false],
  ])('with %j is empty: %s', (file, expected) => {
    expect(isEmptySection({ tenant: '', identity: '', settings: settingsOf(file) })).toBe(expected);
  });

  scenario.each([
    { tenant: '', message: 'The settings have changed since the start.' },
    { tenant: 'eu', message: 'The settings of the section "eu" have changed since the start.' },
  ])('tenant-identity', 'of the tenant "$tenant" stops its work if it has changed', ({ tenant, message }) => {
    const known = { tenant, identity: '', settings: settingsOf(FIRST) };
    checkUnchanged(known, settingsOf(FIRST));
    const hint = 'Restart this process: its settings may belong to another tenant now.';
    expect(() => checkUnchanged(known, settingsOf(SECOND))).toThrow(
      expect.objectContaining({ code: 'configuration', message, hint }),
    );
  });
});

describe('Sections of one tenant', () => {
  const section = (label: string, file: Partial<Settings>) => {
    return { tenant: label, label, identity: 'a'.repeat(32), settings: settingsOf(file) };
  };
  const [reader, admin] = [section('reader', { ...FIRST, client_id: 'reader' }), section('admin', FIRST)];

  it.each([
    ['the section of the same name', [reader, admin], 'admin', 'admin'],
    ['the only section, whatever its name', [admin], 'live', 'admin'],
    ['any of several with the same credentials', [admin, { ...admin, tenant: 'b', label: 'b' }], 'live', 'admin'],
  ])('give work to %s', (_what, sections, label, expected) => {
    expect(sectionFor(sections, label).tenant).toBe(expected);
  });

  scenario.each([
    { sections: [reader, admin], label: 'live' },
    { sections: [reader, admin], label: '' },
    { sections: [], label: 'live' },
  ])('tenant-identity', 'are refused if the name "$label" does not select the credentials', ({ sections, label }) => {
    const problem = {
      code: 'configuration',
      message: `Several sections have the tenant of this work with different credentials, and none is named "${label}".`,
      hint: 'Give a section that name, or start a worker with --profile NAME.',
    };
    expect(() => sectionFor(sections, label)).toThrow(expect.objectContaining(problem));
  });
});
