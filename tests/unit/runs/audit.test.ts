/** The audit file, and the record of one command in it: a line at its start and a line at its end. */
import { spawnSync } from 'node:child_process';
import fs, { appendFileSync, chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import type { WatchedCall } from '../../../lib/client/types.ts';
import { ConfigurationError, ConflictError, NotAllowedError, PartialError } from '../../../lib/core/errors.ts';
import { type Audit, type AuditEntry, openAudit } from '../../../lib/runs/audit/audit.ts';
import { recordedCalls } from '../../../lib/runs/audit/calls.ts';
import type { RunOwner } from '../../../lib/runs/port.ts';
import { findCommand } from '../../../lib/runtime/engine/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testClock } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const open: Audit[] = [];
const mounted: string[] = [];
afterEach(async () => {
  for (const audit of open.splice(0)) await audit.close();
  for (const place of mounted.splice(0)) spawnSync('umount', ['-l', place]);
});

const entry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  time: '2026-11-21T12:00:00.000Z',
  id: 'req-1',
  caller: 'ci',
  role: 'operate',
  remote: '192.0.2.1',
  method: 'POST',
  route: '/v1/commands/:name',
  status: 200,
  ms: 12,
  ...changes,
});

async function opened(path = join(temporaryFolder('audit'), 'audit.jsonl')) {
  const warnings: string[] = [];
  const audit = await openAudit(path, { registry, warn: (message) => warnings.push(message) });
  open.push(audit);
  const text = () => readFileSync(path, 'utf8');
  const lines = () =>
    text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { audit, path, warnings, text, lines };
}

/** Returns the arguments of a call as in its audit line. */
async function argumentsOf(command: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { audit, lines } = await opened();
  await audit.write(entry({ command, arguments: args }));
  return lines()[0]?.['arguments'];
}

test('a call is written to a file that only its owner can read', async () => {
  const { audit, path, lines, warnings } = await opened();
  await audit.write(
    entry({ command: 'aisec-runtime-topics-list', arguments: { limit: 2 }, tenant: 'eu', dryRun: true }),
  );
  await audit.write(entry({ caller: undefined, role: undefined, status: 401, code: 'token' }));
  expect(lines()).toEqual([
    { ...entry(), tenant: 'eu', dryRun: true, command: 'aisec-runtime-topics-list', arguments: { limit: 2 } },
    (({ caller: _, role: __, ...refused }) => ({ ...refused, status: 401, code: 'token' }))(entry()),
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(warnings).toEqual([]);
});

test('concurrent lines are whole and in order', async () => {
  const { audit, lines } = await opened();
  const ids = Array.from({ length: 500 }, (_, index) => `req-${index}`);
  await Promise.all(ids.map((id) => audit.write(entry({ id }))));
  expect(lines().map(({ id }) => id)).toEqual(ids);
});

test.each([
  [
    'a prompt',
    'aisec-runtime-scan',
    { profile_name: 'p', prompt: 'CANARY' },
    { profile_name: 'p', prompt: '(hidden)' },
  ],
  [
    'a secret',
    'aisec-runtime-api-keys-create',
    { api_key_name: 'k', auth_code: 'CANARY' },
    { api_key_name: 'k', auth_code: '(hidden)' },
  ],
  ['a misspelt argument', 'aisec-runtime-scan', { promt: 'CANARY', CANARY: 1 }, { '(hidden)': '(hidden)' }],
  [
    'a key of the prototype',
    'aisec-runtime-topics-list',
    JSON.parse('{"__proto__": {"CANARY": 1}, "constructor": "CANARY", "limit": 1}') as object,
    { '(hidden)': '(hidden)', limit: 1 },
  ],
  ['a reference', 'aisec-runtime-topics-list', { limit: '@env:CANARY' }, { limit: '(hidden)' }],
  [
    'a secret in the member of an object',
    'aisec-runtime-topics-list',
    { limit: { password: 'CANARY', a: 1 } },
    { limit: { password: '***', a: 1 } },
  ],
  ['broken JSON', 'aisec-runtime-topics-list', { limit: '{"a": "CANARY' }, { limit: '(hidden)' }],
  ['broken JSON after a space', 'aisec-runtime-topics-list', { limit: ' ["CANARY' }, { limit: '(hidden)' }],
  [
    'credentials of an address',
    'aisec-runtime-topics-list',
    { limit: 'https://u:CANARY@h/' },
    { limit: 'https://***@h/' },
  ],
])('%s is hidden', async (_, command, args, shown) => {
  const written = await argumentsOf(command, args as Record<string, unknown>);
  expect(written).toEqual(shown);
  expect(JSON.stringify(written)).not.toContain('CANARY');
});

test.each([
  ['a text of 200 characters', 'x'.repeat(200)],
  ['a list whose JSON has 200 characters', ['y'.repeat(97), 'z'.repeat(96)]],
  ['a text with a bracket inside', 'a{b [c'],
  ['an address with the name of a reference', 'me@env:x'],
])('%s is shown unchanged', async (_, limit) => {
  expect(await argumentsOf('aisec-runtime-topics-list', { limit })).toEqual({ limit });
});

test('long and deep values are truncated', async () => {
  const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) as unknown;
  const long = {
    limit: 'x'.repeat(1_000_000),
    offset: Array.from({ length: 1000 }, () => 'y'.repeat(1000)),
    using: deep,
  };
  const written = await argumentsOf('aisec-runtime-topics-list', long);
  expect(written).toMatchObject({ limit: `${'x'.repeat(200)}...` });
  expect(JSON.stringify(written).length).toBeLessThan(1000);
});

test('a line feed does not start a second line, and an unknown command is not named', async () => {
  const { audit, lines, text } = await opened();
  const forged = '\n{"caller":"admin"}\n';
  await audit.write(
    entry({ id: forged, remote: forged, code: 'x'.repeat(5000), command: forged, arguments: { a: 'b' } }),
  );
  expect(text().match(/\n/g)).toHaveLength(1);
  expect(lines()).toEqual([
    { ...entry(), id: forged, remote: forged, code: `${'x'.repeat(200)}...`, command: '(unknown)' },
  ]);
});

test('appends to a file, after the partial line of a killed process', async () => {
  const { audit, path } = await opened();
  await audit.write(entry());
  await audit.close();
  open.splice(0);
  appendFileSync(path, '{"time":"20');
  const next = await opened(path);
  await next.audit.write(entry({ id: 'req-2' }));
  expect(next.lines().map(({ id }) => id)).toEqual(['req-1', 'req-2']);
});

test('only one process writes to a file at a time', async () => {
  const { path } = await opened();
  await expect(openAudit(path, { registry, warn: () => undefined })).rejects.toThrow(ConflictError);
});

const inFolder = () => join(temporaryFolder('audit'), 'audit.jsonl');
const made = (path: string, mode: number) => {
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
};

test.each<[string, () => string]>([
  [
    'a link',
    () => {
      const link = inFolder();
      symlinkSync(made(inFolder(), 0o600), link);
      return link;
    },
  ],
  ['a file that other users can read', () => made(inFolder(), 0o644)],
  ['a directory', () => temporaryFolder('audit')],
  [
    'a pipe',
    () => {
      const path = inFolder();
      spawnSync('mkfifo', ['-m', '600', path]);
      return path;
    },
  ],
])('%s is refused, and its lock released', async (_, make) => {
  const path = make();
  for (let time = 0; time < 2; time += 1) {
    await expect(openAudit(path, { registry, warn: () => undefined })).rejects.toThrow(ConfigurationError);
  }
});

/** Runs something, and lists the paths that it opens, makes or writes. */
async function pathsTouchedBy(run: () => Promise<unknown>): Promise<string[]> {
  const touched: string[] = [];
  const restore = [fs, fs.promises].flatMap((module) =>
    Object.entries(module)
      .filter(([name]) => /^(?:open|mkdir|write|appendFile|createWriteStream|rename|copyFile|cp)/.test(name))
      .map(([name, original]) => {
        const spied = (...args: unknown[]) => {
          touched.push(`${name} ${String(args[0])}`);
          return Reflect.apply(original as () => unknown, module, args);
        };
        Reflect.set(module, name, spied);
        return () => Reflect.set(module, name, original);
      }),
  );
  try {
    await run();
  } finally {
    for (const each of restore) each();
  }
  return touched;
}

test('without a path nothing is written and everything is permitted', async () => {
  const warnings: string[] = [];
  const touched = await pathsTouchedBy(async () => {
    const audit = await openAudit(undefined, { registry, warn: (message) => warnings.push(message) });
    const change = entry({ command: 'aisec-runtime-topics-delete', arguments: { topic_id: 'CANARY' } });
    expect([await audit.write(change), await audit.check()]).toEqual([undefined, undefined]);
    await audit.close();
  });
  expect([touched, warnings]).toEqual([[], []]);
  const place = join(temporaryFolder('audit'), 'audit.jsonl');
  const seen = await pathsTouchedBy(async () => (await openAudit(place, { registry, warn: () => undefined })).close());
  expect(seen).toContain(`open ${place}`);
});

const canMount = (() => {
  const place = temporaryFolder('audit');
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]);
  if (status === 0) spawnSync('umount', [place]);
  return status === 0;
})();
if (!canMount) process.stdout.write('skipped: no small disk can be made\n');

(canMount ? test : test.skip)('on a full disk changes are refused, and the lines go to the person', async () => {
  const place = temporaryFolder('audit');
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', place]);
  mounted.push(place);
  const { audit, warnings, lines } = await opened(join(place, 'audit.jsonl'));
  await audit.write(entry({ id: 'first' }));
  await audit.check();
  const filler = join(place, 'filler');
  writeFileSync(filler, Buffer.alloc(112 * 1024));
  const ids = Array.from({ length: 300 }, (_, index) => `req-${index}`);
  for (const id of ids)
    await audit.write(entry({ id, command: 'aisec-runtime-scan', arguments: { prompt: 'CANARY' } }));
  await expect(audit.check()).rejects.toThrow('nothing is changed');
  const kept = lines().map(({ id }) => id);
  expect(warnings[0]).toContain('the disk is full (ENOSPC)');
  expect([...kept, ...warnings.map((warning) => /"id":"([^"]+)"/.exec(warning)?.[1])]).toEqual(['first', ...ids]);
  expect(warnings.join()).not.toContain('CANARY');
  const start = { event: 'start', time: '2026-11-21T12:00:00.000Z', call: 'r.1', request: 'r', caller: 'ci' } as const;
  await expect(audit.begin(start, true)).rejects.toThrow('nothing is changed');
  await audit.begin(start, false);
  // With free space again, the file reports the number of missing lines.
  rmSync(filler);
  await audit.check();
  await audit.write(entry({ id: 'last' }));
  expect(lines().slice(kept.length)).toEqual([{ lost: warnings.length }, entry({ id: 'last' })]);
});

const [LIST, CREATE] = ['aisec-runtime-topics-list', 'aisec-runtime-topics-create'] as const;

describe('The record of one command', () => {
  const OWNER: RunOwner = { tenant: '', caller: 'ci@2026', limits: {} };
  const origin = { request: 'r', caller: 'ci', role: 'operate', remote: '::1', since: 0, audited: true };
  const silent: Audit = {
    isKept: false,
    write: async () => undefined,
    begin: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
  let call: WatchedCall;
  let list: WatchedCall;
  beforeAll(async () => {
    const named = async (name: string) => ({ name, command: await findCommand(registry, name) });
    call = { ...(await named(CREATE)), args: {}, dryRun: false, resumes: false };
    list = { ...call, ...(await named(LIST)) };
  });

  scenario('audit-complete', 'a change is refused before it starts if its line cannot be written', async () => {
    const audit = { ...silent, isKept: true, begin: async () => Promise.reject(new ConfigurationError('full')) };
    const watch = recordedCalls({ audit, clock: testClock() })(OWNER);
    const began: string[] = [];
    const run = async () => {
      began.push(CREATE);
      return { failure: undefined };
    };
    await expect(watch(call, run)).rejects.toThrow('full');
    expect(began).toEqual([]);
  });

  scenario(
    'audit-complete',
    'a worker without an audit file refuses a change for a service with an audit file',
    async () => {
      const watch = recordedCalls({ audit: silent, clock: testClock() })({ ...OWNER, origin });
      const run = async () => ({ failure: undefined });
      await expect(watch(call, run)).rejects.toMatchObject({
        code: 'configuration',
        message: 'The worker keeps no audit file, so it changes nothing for a service that keeps one.',
        hint: 'Start it with: aisec worker --audit FILE',
      });
      await expect(watch({ ...call, dryRun: true }, run)).resolves.toEqual({ failure: undefined });
      await expect(watch(list, run)).resolves.toEqual({ failure: undefined });
    },
  );

  scenario('audit-complete', 'the slices of a job are one command', async () => {
    const path = join(temporaryFolder('audit'), 'slices.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    const clock = testClock();
    const watchOf = recordedCalls({ audit, clock });
    const owner = { ...OWNER, origin: { ...origin, since: clock.now() } };
    await watchOf(owner)(call, async () => ({ suspension: {} }));
    clock.advance(60_000);
    await watchOf(owner)({ ...call, resumes: true }, async () => ({ suspension: {} }));
    await watchOf(owner)({ ...call, resumes: true }, async () => ({}));
    await audit.close();
    expect(linesOf(path)).toMatchObject([
      { event: 'start', call: 'r.1', request: 'r' },
      { event: 'end', call: 'r.1', request: 'r', outcome: 'done', ms: 60_000 },
    ]);
  });

  it('has caller, command, address and duration', async () => {
    const path = join(temporaryFolder('audit'), 'calls.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    const clock = testClock();
    const watch = recordedCalls({ audit, clock })({ ...OWNER, tenant: 'eu', origin });
    const limited = { ...list, args: { limit: '1' } };
    await watch(limited, async () => {
      clock.advance(250);
      return {};
    });
    await watch({ ...limited, dryRun: true }, async () => ({ failure: new PartialError('Some are missing.') }));
    await audit.close();
    const who = { caller: 'ci', role: 'operate', tenant: 'eu', remote: '::1' };
    const started = { event: 'start', request: 'r', ...who, command: LIST, arguments: { limit: '1' } };
    const ended = { event: 'end', request: 'r', caller: 'ci', command: LIST };
    const [first, second] = ['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.250Z'];
    expect(linesOf(path)).toEqual([
      { ...started, call: 'r.1', time: first },
      { ...ended, call: 'r.1', time: second, outcome: 'done', ms: 250 },
      { ...started, call: 'r.2', time: second, dryRun: true },
      { ...ended, call: 'r.2', time: second, outcome: 'partial: partial', ms: 0 },
    ]);
  });

  it('without a request has only the name of the token, and separate ids', async () => {
    const path = join(temporaryFolder('audit'), 'calls.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    await recordedCalls({ audit, clock: testClock() })(OWNER)(call, async () => ({}));
    await audit.close();
    const [begun, ended] = linesOf(path);
    expect(begun).toMatchObject({ caller: 'ci', call: `${String(begun?.['request'])}.1` });
    expect(begun?.['request']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(begun ?? {})).not.toContain('tenant');
    expect(ended).toMatchObject({ caller: 'ci', request: begun?.['request'], outcome: 'done' });
  });

  it('ends with a refusal if rights were taken away', async () => {
    const path = join(temporaryFolder('audit'), 'calls.jsonl');
    const audit = await openAudit(path, { registry, warn: () => undefined });
    const checked: unknown[] = [];
    const checkNow = async (owner: RunOwner, command: string) => {
      checked.push([owner, command]);
      throw new NotAllowedError('No longer.');
    };
    const began: string[] = [];
    const run = async () => {
      began.push(CREATE);
      return {};
    };
    const watch = recordedCalls({ audit, clock: testClock(), checkNow })(OWNER);
    await expect(watch(call, run)).rejects.toThrow('No longer.');
    await audit.close();
    expect([began, checked]).toEqual([[], [[OWNER, CREATE]]]);
    expect(linesOf(path).map(({ event, outcome }) => [event, outcome])).toEqual([
      ['start', undefined],
      ['end', 'not-allowed'],
    ]);
  });
});

function linesOf(path: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
