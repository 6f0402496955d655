/** Tenants of one process: what each has, what its owners find, and whose settings it takes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulated } from '../../../bin/simulated.ts';
import { registry } from '../../../commands/index.ts';
import { ServiceError } from '../../../lib/core/errors.ts';
import type { Settings } from '../../../lib/core/parameters.ts';
import type { RunOwner } from '../../../lib/runs/port.ts';
import { type TenantOptions, Tenants } from '../../../lib/runs/tenants.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ADVICE, TEST_TIME } from '../../support/simulated.ts';
import { OTHER, OWNER } from './suite.ts';

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
  it('is opened by its first call, and once', async () => {
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

describe('The settings of a tenant', () => {
  const FIRST = { url: 'https://first.example', client_id: 'first', client_secret: 's1', tsg_id: '1' };
  const SECOND = { url: 'https://second.example', client_id: 'second', client_secret: 's2', tsg_id: '2' };

  /** Returns the settings that the tenants use. */
  async function settingsOf(names: readonly string[]) {
    const home = temporaryFolder('home');
    const folder = join(home, 'aisec');
    mkdirSync(folder);
    const profiles = { default: FIRST, other: SECOND };
    writeFileSync(join(folder, 'settings.yml'), JSON.stringify({ profiles }), { mode: 0o600 });
    const found: Record<string, Settings> = {};
    const { tenants } = opened({
      start: {
        settings: { client_id: 'option' },
        environment: { XDG_CONFIG_HOME: home, AISEC_TSG_ID: '9', AISEC_RUNTIME_API_KEY: 'k9' },
      },
      wrap: (tenant) => (_transport, settings) => {
        found[tenant] = settings;
        return { send: async () => Promise.reject(new ServiceError('No service.')) };
      },
    });
    for (const tenant of names)
      await tenants
        .clientFor({ ...OWNER, tenant })
        .call(LIST)
        .catch(() => undefined);
    await tenants.close();
    return found;
  }

  it('are those of the start without a profile, otherwise those of the section', async () => {
    const { '': own, other } = await settingsOf(['', 'other']);
    expect(own).toMatchObject({ ...FIRST, client_id: 'option', tsg_id: '9', runtime_api_key: 'k9' });
    expect(other).toMatchObject(SECOND);
    expect(other).not.toHaveProperty('runtime_api_key');
  });

  it('are empty without a section of the profile', async () => {
    expect(await settingsOf(['missing'])).toEqual({});
  });
});
