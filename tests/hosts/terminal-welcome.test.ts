/** The first lines of the war room: the tenant, and how to begin. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folder.ts';
import { CTRL_D } from './terminal-session.ts';
import { start } from './terminal-support.ts';

const TENANT = 'url: https://management.test/api\ntsg_id: "77"\nclient_id: a\nclient_secret: b\n';

/** Opens a room with a settings file, and leaves it. @returns the lines above the prompt */
async function welcomed(text: string, argv: readonly string[] = []): Promise<readonly string[]> {
  const config = join(temporaryFolder('welcome'), 'settings.yml');
  writeFileSync(config, text, { mode: 0o600 });
  const room = start(['--config', config, ...argv]);
  await room.see(/Try |Begin with/);
  room.stdin.write(CTRL_D);
  expect(await room.code).toBe(0);
  expect(room.requests).toEqual([]);
  return room.errors().split('\n').slice(0, 2);
}

test.each([
  {
    text: `${TENANT}profiles: {live: {production: true}}\n`,
    argv: ['--profile', 'live'],
    tenant: 'profile live, tenant 77, production',
  },
  { text: TENANT, argv: [], tenant: 'tenant 77' },
  { text: `${TENANT}profiles: {a: {}}\n`, argv: ['--profile', 'a', '--tsg-id', '88'], tenant: 'tenant 88' },
])('names $tenant, and asks the tenant nothing', async ({ text, argv, tenant }) => {
  expect((await welcomed(text, argv))[0]).toBe(`aisec 1.2.3, ${tenant}, management.test`);
});

test.each([
  ['a tenant', TENANT, 'Try redteam-scans-list, dashboard or help. Tab completes, exit leaves.'],
  [
    'a scanner alone',
    'runtime_api_key: k\n',
    'Try runtime-scan prompt="hi", commands or help. Tab completes, exit leaves.',
  ],
  ['nothing', '', 'note: Nothing is set yet. Begin with: aisec init. Without a tenant, add --simulate.'],
])('says how to begin with %s', async (_, text, begin) => {
  expect((await welcomed(text))[1]).toBe(begin);
});
