/** Named pipes without a writer: the first signal ends the program that waits for their text. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { exchange } from '../../hosts/http/support.ts';
import { rehearse, start as startHere } from '../../hosts/terminal-support.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { type Ended, ended, program, start } from '../../support/program.ts';
import { type CountingService, countingService } from '../../unit/queue/processes.ts';
import { describeWithRedis, redisServer } from '../../unit/queue/redis-server.ts';
import { scenario } from '../scenarios/claims.ts';
import { CODE_AFTER } from './modes.ts';

const path = program({ withCatalogue: true });
const folder = temporaryFolder('named-pipes');
const pipe = join(folder, 'pipe');
beforeAll(() => execFileSync('mkfifo', ['-m', '600', pipe]));

const TOKEN = 'token-of-this-test-0123';
/** Longer than a test may take: a test that waits this long fails. */
const LONG_GRACE = ['--grace', '3600'];
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Waits until a process has the pipe open. Linux lists the open files of each process. */
function hasOpened(pid: number | undefined): Promise<void> {
  const files = `/proc/${pid}/fd`;
  const isPipe = (name: string) => {
    try {
      return readlinkSync(join(files, name)) === pipe;
    } catch {
      return false;
    }
  };
  return until(
    () => readdirSync(files).some(isPipe),
    () => 'the pipe was not opened',
  );
}

const running: { child: ChildProcess; end: Promise<Ended> }[] = [];
afterEach(async () => {
  for (const { child, end } of running.splice(0)) {
    child.kill('SIGKILL');
    await end;
  }
});

/** Starts the program in a new folder, and collects its output. */
function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}, input?: string | null) {
  const child = start(path, words, {
    folder: temporaryFolder('pipes'),
    environment,
    ...(input === undefined ? {} : { input }),
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      printed += String(chunk);
    });
  const end = ended(child);
  running.push({ child, end });
  const says = async (text: RegExp) => {
    await until(
      () => text.test(printed),
      () => printed,
    );
    return text.exec(printed)?.[1] ?? '';
  };
  return { child, end, says };
}

const LIST = '/v1/commands/aisec-runtime-topics-list';
const ME = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [CLIENT_INFO_META_KEY]: { name: 'test', version: '1' },
  [CLIENT_CAPABILITIES_META_KEY]: {},
};
/** An agent's call that needs the settings. */
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'aisec_read', arguments: { command: 'aisec-runtime-topics-list', arguments: {} }, _meta: ME },
});

describe('settings from a named pipe without a writer', () => {
  scenario.each(
    SIGNALS.flatMap((signal) => [
      { what: 'a request', headers: {}, signal },
      { what: 'a run', headers: { prefer: 'respond-async' }, signal },
    ]),
  )('slow-inputs', 'end aisec serve on the first $signal while $what waits for them', async ({ headers, signal }) => {
    const { child, end, says } = run(['serve', '--port', '0', '--config', pipe, ...LONG_GRACE], {
      AISEC_SERVE_TOKEN: TOKEN,
    });
    const url = new URL(LIST, await says(/AISEC_URL=(\S+)/));
    const answer = exchange(url, { token: TOKEN, method: 'POST', body: {}, headers }).catch(() => undefined);
    await hasOpened(child.pid);
    child.kill(signal);
    expect(await end).toMatchObject({ code: 0, signal: null });
    await answer;
  });

  scenario('slow-inputs', 'end aisec mcp on the first signal while a call over stdio waits for them', async () => {
    const { child, end } = run(['mcp', '--config', pipe], {}, null);
    child.stdin?.write(`${CALL}\n`);
    await hasOpened(child.pid);
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0, signal: null });
  });

  scenario('slow-inputs', 'end aisec mcp on the first signal while a call over HTTP waits for them', async () => {
    const { child, end, says } = run(['mcp', '--http', '--port', '0', '--config', pipe], { AISEC_MCP_TOKEN: TOKEN });
    const url = await says(/(http:\/\/\S+)/);
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'aisec_read',
    };
    const answer = fetch(url, { method: 'POST', headers, body: CALL })
      .then((response) => response.text())
      .catch(() => undefined);
    await hasOpened(child.pid);
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0, signal: null });
    await answer;
  });

  scenario.each(SIGNALS.map((signal) => ({ signal })))(
    'slow-inputs',
    'end aisec worker on the first $signal while it looks for its tenants',
    async ({ signal }) => {
      const { child, end } = run(['worker', '--queue', 'redis://127.0.0.1:1', '--config', pipe]);
      await hasOpened(child.pid);
      child.kill(signal);
      expect(await end).toMatchObject({ code: 0, signal: null });
    },
  );

  scenario('slow-inputs', 'end aisec serve token on the first signal with 143 and without a token', async () => {
    const { child, end } = run(['serve', 'token', 'ci', '--role', 'read', '--profile', 'prod', '--config', pipe]);
    await hasOpened(child.pid);
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 143, stdout: '' });
  });
});

describeWithRedis('a worker whose settings are a named pipe without a writer', () => {
  const redis = redisServer();
  let service: CountingService;
  beforeEach(async () => {
    service = await countingService();
  });
  afterEach(() => service.close());

  scenario('slow-inputs', 'a worker takes no shard, and ends on the first signal', async () => {
    const queue = { AISEC_QUEUE_URL: redis.url };
    const tenant = { ...queue, ...service.environment };
    const waiting = run(['worker', '--config', pipe, ...LONG_GRACE], queue);
    // The first read, for the section names, has received its text.
    writeFileSync(pipe, 'insecure: false\n');
    const coordinator = run(['runtime-bulk-scan', 'profile_name=prod', 'prompts_csv=Hello\nHi'], tenant);
    await hasOpened(waiting.child.pid);
    waiting.child.kill('SIGTERM');
    expect(await waiting.end).toMatchObject({ code: 0, signal: null });
    run(['worker'], tenant);
    const { code, stdout } = await coordinator.end;
    expect({ code, total: stdout.includes('"total":2') }).toEqual({ code: 0, total: true });
  });
});

describe('standard input without an end', () => {
  scenario.each(SIGNALS.map((signal) => ({ signal })))(
    'slow-inputs',
    'as a file ends on the first $signal, and leaves nothing on the disk',
    async ({ signal }) => {
      const copies = temporaryFolder('copies');
      const scan = ['runtime-bulk-scan', 'profile_name=prod', 'file=-', '--simulate'];
      const { child, end } = run(scan, { TMPDIR: copies }, null);
      child.stdin?.write('Hello\n');
      await until(() => readdirSync(copies).some((name) => statSync(join(copies, name)).size > 0));
      child.kill(signal);
      expect(await end).toMatchObject({ code: CODE_AFTER[signal], signal: null, stdout: '' });
      expect(readdirSync(copies)).toEqual([]);
    },
  );
});

describe('a secret from a named pipe without a writer', () => {
  const CREATE = [
    ...['aisec-runtime-api-keys-create', 'api_key_name=app', `auth_code=@file:${pipe}`, 'cust_app=app'],
    ...['rotation_time_interval=3', 'rotation_time_unit=months', 'created_by=ana@example.com'],
    ...['cust_env=production', 'cust_cloud_provider=other'],
  ];

  scenario.each([
    ...SIGNALS.map((signal) => ({
      what: 'a one-shot command',
      words: [...CREATE, '--simulate'],
      input: undefined,
      signal,
    })),
    {
      what: 'a line of a pipe',
      words: ['--simulate'],
      input: `!${CREATE.join(' ')}\n`,
      signal: 'SIGTERM' as const,
    },
  ])('slow-inputs', 'ends $what on the first $signal', async ({ words, input, signal }) => {
    const { child, end } = run(words, {}, input);
    await hasOpened(child.pid);
    child.kill(signal);
    expect(await end).toMatchObject({ code: CODE_AFTER[signal], signal: null, stdout: '' });
  });

  scenario('slow-inputs', 'ends its line of a war room on Ctrl-C, and the room stays open', async () => {
    const room = startHere(['--simulate'], { terminal: true, columns: 100 });
    await room.see('(simulated)');
    room.stdin.write(`!aisec-widget-make name=cog auth_config=@file:${pipe}\r`);
    await hasOpened(process.pid);
    room.stdin.write('\u0003');
    await room.see('cancelled: Stopped.');
    room.stdin.write('!aisec-widget-get cog\r');
    await room.see('turns');
    room.stdin.write('\u0004');
    expect(await room.code).toBe(0);
    expectNone(
      room.requests.filter(({ body }) => body?.startsWith('{')),
      'changes',
    );
  });

  scenario('slow-inputs', 'is sent without its line end when a writer connects', async () => {
    const done = rehearse(['!aisec-widget-make', 'name=cog', `auth_config=@file:${pipe}`]);
    await hasOpened(process.pid);
    writeFileSync(pipe, 'late\r\n');
    const { code, requests } = await done;
    expect({ code, sent: requests.some(({ body }) => body?.includes('"auth_config":"late"')) }).toEqual({
      code: 0,
      sent: true,
    });
  });

  scenario(
    'file-encoding',
    'is refused with the position of a byte that is not UTF-8, and the error shows no byte',
    async () => {
      const bad = join(folder, 'secret.txt');
      writeFileSync(bad, Buffer.from('sch\u00f6n', 'latin1'));
      const { code, stderr, requests } = await rehearse(['!aisec-widget-make', 'name=cog', `auth_config=@file:${bad}`]);
      expect(code).toBe(2);
      expect(stderr).toContain('is not UTF-8 text: byte 4, in line 1, cannot be read.');
      expect(stderr).not.toContain('sch');
      expectNone(requests, 'requests');
    },
  );
});
