/** Tenants of one process: their resources, what their owners find, their settings, and the sections of the file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulated } from '../../../bin/simulated.ts';
import { registry } from '../../../commands/index.ts';
import { ServiceError } from '../../../lib/core/errors.ts';
import type { Settings } from '../../../lib/core/parameters.ts';
import { SIMULATED_TENANT, tenantIdentity } from '../../../lib/node/settings/tenant-identity.ts';
import type { RunOwner } from '../../../lib/runs/port.ts';
import {
  checkUnchanged,
  isEmptySection,
  sectionFor,
  type TenantOptions,
  TenantSections,
  Tenants,
} from '../../../lib/runs/tenants.ts';
import { resolveSettings } from '../../../lib/runtime/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ADVICE, TEST_TIME } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { never, OTHER, OWNER } from './suite.ts';

const LIST = 'aisec-runtime-topics-list';

function opened(options: Partial<TenantOptions> = {}) {
  const directory = temporaryFolder('tenants');
  const tenants = new Tenants({
    parts: { registry, simulated, advice: ADVICE },
    start: { simulate: { now: TEST_TIME } },
    directory,
    catalogue: [],
    wrap: () => (transport) => transport,
    ...options,
  });
  return { tenants, directory };
}

describe('A tenant', () => {
  it('is opened once, by its first call', async () => {
    const { tenants } = opened();
    expect([...tenants.opened().keys()]).toEqual([]);
    const [own, other] = [tenants.of(OWNER), tenants.of(OTHER)];
    expect(tenants.of({ tenant: '' })).toBe(own);
    expect([...tenants.opened()]).toEqual([
      ['', own],
      ['other', other],
    ]);
    await tenants.close();
  });

  it.each([
    ['', 'default'],
    ['default', 'profile-default'],
    ['../up', 'profile-..%2Fup'],
  ])('of the profile "%s" has a separate directory', (tenant, folder) => {
    const { tenants, directory } = opened();
    expect(tenants.of({ tenant }).directory).toBe(join(directory, folder));
  });

  it('is closed with the other tenants', async () => {
    const { tenants } = opened();
    const clients = [OWNER, OTHER].map((owner) => tenants.clientFor(owner));
    for (const client of clients) expect(await client.call(LIST)).toMatchObject({ simulated: true });
    await tenants.close();
    for (const client of clients) await expect(client.call(LIST)).rejects.toThrow('The client is closed.');
  });

  it('shares one limit of its files between its tokens', () => {
    const { tenants } = opened();
    const { files, shelf } = tenants.of(OWNER);
    shelf.add({ entry: '/a', name: 'a', size: 9_999_999_999, contentType: 'text/plain' }, 'ci@/');
    files.take('ci@/', 1);
    const problem = {
      code: 'quota',
      message: 'The files of this token have reached their limit of 10000 MB.',
      hint: 'Delete files that are no longer needed.',
    };
    expect(() => files.take('ci@/', 1)).toThrow(expect.objectContaining(problem));
  });
});

describe('A caller', () => {
  const csv = 'prompt\nhello\n';

  function withFile() {
    const { tenants } = opened();
    const { shelf, directory } = tenants.of(OWNER);
    mkdirSync(directory, { recursive: true });
    const path = join(directory, 'prompts.csv');
    writeFileSync(path, csv);
    const size = csv.length;
    const { id } = shelf.add({ entry: path, name: 'prompts.csv', size, contentType: 'text/csv' }, 'ci@/');
    const scan = (owner: RunOwner, entry_id: string) =>
      tenants.clientFor(owner).call('aisec-runtime-bulk-scan', { profile_name: 'prod', prompts_csv: 'x', entry_id });
    return { scan, id, path };
  }

  it('finds its own files by their ids', async () => {
    const { scan, id } = withFile();
    expect((await scan(OWNER, id)).outputs).toMatchObject({ 'AiSec.BulkScan': { total: 1 } });
  });

  it.each<[string, RunOwner, (file: { id: string; path: string }) => string]>([
    ['of another token', { ...OWNER, caller: 'other@' }, ({ id }) => id],
    ['of another tenant', OTHER, ({ id }) => id],
    ['of the machine', OWNER, ({ path }) => path],
    ['of its tenant by their names', OWNER, () => 'prompts.csv'],
    ['of any long name', OWNER, () => 'x'.repeat(1000)],
  ])('finds no files %s', async (_whose, owner, nameOf) => {
    const { scan, ...file } = withFile();
    const name = nameOf(file);
    await expect(scan(owner, name)).rejects.toMatchObject({
      code: 'usage',
      message: `There is no file "${name.slice(0, 60)}".`,
      hint: 'Upload it first, then pass its id in this argument.',
    });
  });

  it('finds no file of a forbidden command', async () => {
    const { tenants } = opened();
    const { shelf } = tenants.of(OWNER);
    const file = { entry: '/f', name: 'f.csv', size: 1, contentType: 'text/csv' };
    const { id } = shelf.add(file, 'ci@/', LIST);
    const limits = { allow: { commands: ['aisec-runtime-bulk-scan'] } };
    const args = { profile_name: 'prod', prompts_csv: 'x', entry_id: id };
    await expect(tenants.clientFor({ ...OWNER, limits }).call('aisec-runtime-bulk-scan', args)).rejects.toMatchObject({
      code: 'not-allowed',
      message: `This file was made by ${LIST}, which is not allowed for this client.`,
    });
  });

  it('has every command audited', async () => {
    const watched: unknown[] = [];
    const watch: TenantOptions['watch'] = (owner) => async (call, run) => {
      watched.push([owner, call.name]);
      return run();
    };
    await opened({ watch }).tenants.clientFor(OTHER).call(LIST);
    expect(watched).toEqual([[OTHER, LIST]]);
  });

  it('may run what its limits allow', async () => {
    const { tenants } = opened();
    const client = tenants.clientFor({ ...OWNER, limits: { allow: { commands: ['aisec-dlp-*'] } } });
    await expect(client.call(LIST)).rejects.toMatchObject({ code: 'not-allowed' });
  });

  it.each([
    ['each counted by the host', true],
    ['also if the host does not count them', false],
  ])('may retry commands, %s', async (_what, counts) => {
    const retried: RunOwner[] = [];
    const { tenants } = opened({
      start: { simulate: { now: TEST_TIME, faults: ['503x100@/aisec/v1/mgmt/topics'] }, timeoutMs: 3_000_000 },
      ...(counts ? { beforeRetry: (owner: RunOwner) => retried.push(owner) } : {}),
    });
    const args = { 'retry-count': 2, 'retry-interval': 1 };
    await expect(tenants.clientFor(OTHER).call(LIST, args)).rejects.toMatchObject({ status: 503 });
    expect(retried).toEqual(counts ? [OTHER, OTHER] : []);
  });

  it('cannot read files of the machine by their paths, even without limits', async () => {
    const args = { profile_name: 'prod', prompts_csv: 'x', entry_id: '/etc/hostname' };
    const scanned = opened().tenants.of(OWNER).client.call('aisec-runtime-bulk-scan', args);
    await expect(scanned).rejects.toThrow('The file /etc/hostname is not in the directory for files.');
  });
});

test('the settings of a profile come only from its section, not from options and variables of the start', async () => {
  const home = temporaryFolder('home');
  mkdirSync(join(home, 'aisec'));
  const profiles = { default: FIRST, other: SECOND };
  writeFileSync(join(home, 'aisec', 'settings.yml'), JSON.stringify({ profiles }), { mode: 0o600 });
  const found: Record<string, Settings> = {};
  const environment = { XDG_CONFIG_HOME: home, AISEC_TSG_ID: '9', AISEC_RUNTIME_API_KEY: 'k9' };
  const { tenants } = opened({
    start: { settings: { client_id: 'option' }, environment },
    wrap: (tenant) => (_transport, settings) => {
      found[tenant] = settings;
      return { send: async () => Promise.reject(new ServiceError('No service.')) };
    },
  });
  for (const tenant of ['', 'other', 'missing']) {
    await expect(tenants.clientFor({ ...OWNER, tenant }).call(LIST)).rejects.toThrow();
  }
  await tenants.close();
  expect(found['']).toMatchObject({ ...FIRST, client_id: 'option', tsg_id: '9', runtime_api_key: 'k9' });
  expect(found['other']).toMatchObject(SECOND);
  expect(found['other']).not.toHaveProperty('runtime_api_key');
  expect(found).not.toHaveProperty('missing');
});

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
      message: `Several sections name this work's tenant with different credentials, and none is named "${label}".`,
      hint: 'Give a section that name, or start a worker with --profile NAME.',
    };
    expect(() => sectionFor(sections, label)).toThrow(expect.objectContaining(problem));
  });
});
