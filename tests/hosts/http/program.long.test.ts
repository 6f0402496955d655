/** `aisec serve` as a process: what it prints, its tokens, and how it ends. */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { ended, program, start } from '../../support/program.ts';
import { eventsIn, exchange, type Sent } from './support.ts';

const path = program({ withCatalogue: true });
const LATER = { prefer: 'respond-async' };

/** Starts the service, and waits until it listens. */
async function serving(words: readonly string[] = [], folder = temporaryFolder('serve')) {
  const child = start(path, ['serve', '--simulate', '--port', '0', ...words], { folder, environment: {} });
  const end = ended(child);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += String(chunk);
  });
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(printed)?.[1];
  // Without a token file, a token is printed after the address.
  while (value(words.includes('--tokens') ? 'AISEC_URL' : 'AISEC_TOKEN') === undefined) {
    await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data'),
      end.then(() => Promise.reject(new Error(printed))),
    ]);
  }
  const send = (route: string, sent: Sent = {}) =>
    exchange(new URL(route, value('AISEC_URL')), { token: value('AISEC_TOKEN'), ...sent });
  return { child, end, send, printed: () => printed };
}

it('prints the address and a token as shell lines, and ends with 0', async () => {
  const { child, end, send, printed } = await serving();
  expect(printed()).toMatch(/^AISEC_URL=http:\/\/127\.0\.0\.1:\d+\nAISEC_TOKEN=aisec_[\w-]{43}\n$/);
  const body = { profile_name: 'prod', prompt: 'hello' };
  expect((await send('/v1/commands/aisec-runtime-scan', { method: 'POST', body })).status).toBe(200);
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 0 });
});

it('creates, lists and revokes tokens, and a running service applies the changes', async () => {
  const folder = temporaryFolder('serve');
  const file = join(folder, 'tokens.json');
  const manage = async (...words: string[]) => {
    const child = start(path, ['serve', ...words, '--tokens', file], { folder, environment: {} });
    return ended(child);
  };
  const made = await manage('token', 'ci', '--role', 'read', '--expires-in', '90d');
  expect(made).toMatchObject({ code: 0 });
  const token = made.stdout.trim();
  expect(readFileSync(file, 'utf8')).not.toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { child, end, send } = await serving(['--tokens', file], folder);
  const scan = { method: 'POST', body: { profile_name: 'prod', prompt: 'hello' }, token };
  expect((await send('/v1/commands/aisec-runtime-topics-list', { method: 'POST', body: {}, token })).status).toBe(200);
  expect((await send('/v1/commands/aisec-runtime-scan', scan)).status).toBe(403);
  const listed = await manage('tokens', '--output', 'json');
  expect(JSON.parse(listed.stdout)).toMatchObject({ tokens: [{ name: 'ci', role: 'read', expired: false }] });
  expect(await manage('token', 'ci', '--revoke')).toMatchObject({ code: 0 });
  await until(async () => (await send('/v1/commands', { token })).status === 401);
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 0 });
});

it.each([
  ['a token without a role', ['token', 'ci'], 2, 'role'],
  ['a name that cannot be one', ['token', 'a b', '--role', 'read'], 2, 'name'],
  ['a limit of tokens for the whole service', ['--toolsets', 'runtime'], 2, 'belongs to a token'],
  ['another word', ['nothing'], 2, 'aisec serve token NAME'],
  ['a certificate without its key', ['--tls-cert', 'x.pem'], 2, '--tls-key'],
  ['a file of tokens that does not exist', ['--tokens', 'missing/tokens.json'], 0, 'does not exist'],
])('reports %s, and says what to do', async (_case, words, code, text) => {
  const folder = temporaryFolder('serve');
  const child = start(path, ['serve', '--port', '0', ...words], { folder, environment: {} });
  const end = ended(child);
  if (code === 0) {
    // The service keeps running and refuses every token, so replacing the file does not end it.
    const { send } = await listening(child);
    expect((await send('/v1/runs')).status).toBe(401);
    child.kill('SIGTERM');
  }
  const result = await end;
  expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(text)]);
});

async function listening(child: ReturnType<typeof start>) {
  let text = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  const url = /AISEC_URL=(\S+)/.exec(text)?.[1] ?? '';
  return { send: (route: string) => exchange(new URL(route, url), { token: 'no-token-of-the-file' }) };
}

describe('The end', () => {
  const WAITS = ['--latency', '600000'];
  const list = { method: 'POST', body: {} };
  const LIST = '/v1/commands/aisec-runtime-topics-list';

  it('lets runs and requests finish, and notifies their readers', async () => {
    const { child, end, send } = await serving(['--latency', '400', '--grace', '600']);
    const run = await send(LIST, { ...list, headers: LATER });
    const [follows, waits] = [send(run.json.eventsUrl), send(LIST, list)];
    await until(async () => /aisec_event_streams 1/.test((await send('/metrics')).text));
    child.kill('SIGTERM');
    expect(eventsIn((await follows).text).at(-1)?.data.state).toBe('succeeded');
    expect((await waits).status).toBe(200);
    expect(await end).toMatchObject({ code: 0 });
  });

  it('stops a run that has no time left, and notifies its reader', async () => {
    const { child, end, send } = await serving([...WAITS, '--grace', '0']);
    const run = await send(LIST, { ...list, headers: LATER });
    const [follows, waits] = [send(run.json.eventsUrl), send(LIST, list)];
    await until(async () => /aisec_event_streams 1/.test((await send('/metrics')).text));
    child.kill('SIGTERM');
    expect(eventsIn((await follows).text).at(-1)?.data.state).toBe('stopped');
    expect((await waits).status).toBe(499);
    expect(await end).toMatchObject({ code: 0 });
  });

  it('accepts no new work, fails readiness probes, and is immediate on a second signal', async () => {
    const { child, end, send } = await serving([...WAITS, '--grace', '600']);
    await send(LIST, { ...list, headers: LATER });
    child.kill('SIGTERM');
    await until(async () => (await send('/readyz')).status === 503);
    const refused = await send(LIST, list);
    expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([503, 'stopping', '10']);
    child.kill('SIGTERM');
    expect((await end).code).not.toBe(0);
  });
});
