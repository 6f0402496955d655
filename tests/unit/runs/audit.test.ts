import { spawnSync } from 'node:child_process';
import fs, { appendFileSync, chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import { ConfigurationError, ConflictError } from '../../../lib/core/errors.ts';
import { type Audit, type AuditEntry, openAudit } from '../../../lib/runs/audit/audit.ts';
import { temporaryFolder } from '../../support/folder.ts';

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

/** Returns the arguments of a call as its line has them. */
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
  ['broken JSON behind a space', 'aisec-runtime-topics-list', { limit: ' ["CANARY' }, { limit: '(hidden)' }],
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
  ['a file that others can read', () => made(inFolder(), 0o644)],
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
  // With space again, the file says how many lines it lacks.
  rmSync(filler);
  await audit.check();
  await audit.write(entry({ id: 'last' }));
  expect(lines().slice(kept.length)).toEqual([{ lost: warnings.length }, entry({ id: 'last' })]);
});
