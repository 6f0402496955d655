/**
 * Several tenants on one Redis, with the program's own processes: each gets its own work, and nothing from the other tenants.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { program } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { type CountingService, countingService, queueProcesses } from './processes.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const path = program({ withCatalogue: true });
const redis = redisServer();
const services: CountingService[] = [];
const { run, worker } = queueProcesses(path, () => ({ AISEC_QUEUE_URL: redis.url }));

beforeEach(() => redis.flush());
afterEach(async () => {
  for (const { close } of services.splice(0)) await close();
});

async function newService(): Promise<CountingService> {
  const service = await countingService();
  services.push(service);
  return service;
}

const VARIABLES: Readonly<Record<string, string>> = {
  AISEC_BASE_URL: 'url',
  AISEC_CLIENT_ID: 'client_id',
  AISEC_CLIENT_SECRET: 'client_secret',
  AISEC_RUNTIME_API_KEY: 'runtime_api_key',
  AISEC_TSG_ID: 'tsg_id',
  AISEC_SCANNER_BASE_URL: 'scanner_base_url',
  AISEC_DLP_BASE_URL: 'dlp_base_url',
  AISEC_TOKEN_URL: 'token_url',
};

/** Returns a service's settings as a section of the settings file. */
function sectionOf({ environment }: CountingService, more: Record<string, string> = {}): Record<string, string> {
  const named = Object.entries(environment).map(([variable, value]) => [VARIABLES[variable] ?? variable, value]);
  return { ...(Object.fromEntries(named) as Record<string, string>), ...more };
}

/** Writes a settings file. @returns its path */
function settingsFile(profiles: Record<string, Record<string, string>>): string {
  const file = join(temporaryFolder('settings'), 'settings.json');
  writeFileSync(file, JSON.stringify({ profiles }), { mode: 0o600 });
  return file;
}

const scanOf = (prompt: string) => `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=${prompt}`;

describeWithRedis('A worker', () => {
  scenario('worker-profiles', 'serves every section of its settings file by its name', async () => {
    const [first, second, third] = [await newService(), await newService(), await newService()];
    const config = settingsFile({
      default: sectionOf(first),
      second: sectionOf(second),
      'third: of "three"': sectionOf(third),
    });
    await worker(['--config', config]);
    const scans = [
      run(['--config', config, scanOf('one')]),
      run(['--config', config, '--profile', 'second', scanOf('two')]),
      run(['--config', config, '--profile', 'third: of "three"', scanOf('three')]),
    ];
    for (const { end } of scans) expect(await end).toMatchObject({ code: 0 });
    expect([first, second, third].map(({ sent }) => [...sent.keys()])).toEqual([['one'], ['two'], ['three']]);
  });

  scenario('tenant-identity', 'separates the tenant of the environment from the section "default"', async () => {
    const [own, section] = [await newService(), await newService()];
    const config = settingsFile({ default: sectionOf(section) });
    await worker(['--config', config], own.environment);
    const scans = [
      run(['--config', config, scanOf('environment')], undefined, own.environment),
      run(['--config', config, scanOf('section')]),
      run(['--config', config, '--profile', 'default', scanOf('named')]),
    ];
    for (const { end } of scans) expect(await end).toMatchObject({ code: 0 });
    expect([...own.sent.keys()]).toEqual(['environment']);
    expect([...section.sent.keys()].toSorted()).toEqual(['named', 'section']);
  });

  scenario('tenant-identity', 'shares the queue and the rate of a tenant between its labels', async () => {
    const service = await newService();
    const [here, there] = [settingsFile({ live: sectionOf(service) }), settingsFile({ prod: sectionOf(service) })];
    await worker(['--config', there, '--requests-per-second', '50']);
    expect(await run(['--config', here, '--profile', 'live', scanOf('hello')]).end).toMatchObject({ code: 0 });
    const { stdout } = await run(['queue', '--output', 'json']).end;
    const { queues } = JSON.parse(stdout) as { queues: { tenant: string; labels: string[]; rate: number }[] };
    expect(new Set(queues.map(({ tenant }) => tenant)).size).toBe(1);
    expect(queues[0]).toMatchObject({ labels: ['live'], rate: 50 });
    const table = await run(['queue', '--output', 'table']).end;
    expect(table.stdout).toContain(`live (${queues[0]?.tenant.slice(0, 8)})`);
  });

  scenario('tenant-identity', 'reports a missing tenant with a known label, and leaves its work', async () => {
    const [own, other] = [await newService(), await newService()];
    const working = await worker(['--config', settingsFile({ live: sectionOf(own) })]);
    run(['--config', settingsFile({ live: sectionOf(other) }), '--profile', 'live', scanOf('hello')]);
    await working.says('Here, "live" is another tenant');
    expect(working.printed()).toMatch(/Work of live \([0-9a-f]{8}\) waits, but no worker serves this tenant/);
    expect([own.sent.size, other.sent.size]).toEqual([0, 0]);
    const { stderr } = await run(['queue', '--output', 'table']).end;
    expect(stderr).toMatch(/No worker has the tenant live \([0-9a-f]{8}\)/);
  });

  scenario('tenant-identity', 'uses only credentials that the work was started with', async () => {
    const service = await newService();
    const [first, second] = [sectionOf(service), sectionOf(service, { client_id: 'another-client' })];
    const working = await worker(['--config', settingsFile({ reader: second, admin: first })]);
    run(['--config', settingsFile({ live: first }), '--profile', 'live', scanOf('hello')]);
    await working.says('none is named "live"');
    expect(service.sent.size).toBe(0);
  });
});
