/** Checks of an image: of what is in it, and of what it does with a read-only root file system. */
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Check, listed, type Problem } from '../checks.ts';
import type { Container } from './image.ts';
import { NODE } from './runtime-files.ts';
import { type Ended, type Running, type RunOptions, run, type Sandbox, start } from './sandbox.ts';
import type { ImageFile } from './size.ts';
import { USER } from './stage.ts';

export interface Subject {
  readonly sandbox: Sandbox;
  readonly container: Container;
  readonly files: readonly ImageFile[];
  readonly version: string;
  /** An empty folder for files of the checks. */
  readonly folder: string;
}

const SCAN = ['--simulate', '--output', 'table', 'runtime-scan', 'profile_name=prod', 'prompt=hello'];
const BULK = ['--simulate', '--files-dir', '/data', '--output', 'json', 'runtime-bulk-scan', 'profile_name=prod'];
/** Any user that the image does not know. */
const STRANGER = '4242:4242';
/** More prompts than are scanned before the signal arrives. */
const MANY = 200_000;
const LIBRARY = /\.so(?:\.\d+)*$/;
const WAIT_MS = 60_000;
const POLL_MS = 50;
/** Tries to write to every folder of the image, and prints the different results. */
const TRY_TO_WRITE = `
const { readdirSync, writeFileSync } = require('node:fs');
const all = (folder) => [folder, ...readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['/proc', '/dev'].includes(folder + entry.name))
  .flatMap((entry) => all(folder + entry.name + '/'))];
const attempt = (folder) => {
  try { writeFileSync(folder + 'x', ''); return folder; } catch ({ code }) { return code; }
};
console.log([...new Set(all('/').map(attempt))].join(' '));
`;
/** What other images take from files of the system. */
const BUILT_IN = `
const { rootCertificates } = require('node:tls');
const hour = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', hour: 'numeric', hour12: false }).format(0);
require('node:dns').lookup('localhost', (error) => console.log(rootCertificates.length > 100, hour, error?.code ?? 'found'));
`;

/** Lists the checks of an image. */
export function imageChecks(subject: Subject): Check[] {
  const { sandbox, container, files, version } = subject;
  const node = (source: string, options: RunOptions = {}) =>
    run(sandbox, ['-e', source], { ...options, entrypoint: [NODE] });
  return [
    { title: 'User', run: async () => userOf(sandbox, (await node('console.log(process.getuid())')).stdout.trim()) },
    { title: 'Files', run: () => filesProblem(files) ?? `all ${files.length} belong to root, and only root can write` },
    { title: 'Programs', run: () => programsOf(files) },
    {
      title: 'Root file system',
      run: async () => expected(await node(TRY_TO_WRITE), 'EROFS\n', 'it can be read-only'),
    },
    {
      title: 'Permissions',
      run: async () =>
        expected(await node(TRY_TO_WRITE, { writable: true }), 'EACCES\n', 'the user can write to no folder'),
    },
    {
      title: 'Certificates, time zones and host names',
      run: async () => expected(await node(BUILT_IN), /^true 09 found\n$/, 'Node has them, and /etc/hosts is read'),
    },
    {
      title: 'Kernel lock',
      run: async () =>
        expected(await run(sandbox, ['--version'], { entrypoint: ['/usr/bin/flock'] }), /^\S*flock /, 'flock runs'),
    },
    {
      title: 'Version, run by buildah',
      run: () => {
        const stdout = container.run([...(sandbox.config.Entrypoint ?? []), '--version']);
        return expected({ code: 0, stdout, stderr: '' }, `aisec ${version}`, version);
      },
    },
    {
      title: 'Version, read-only',
      run: async () => expected(await run(sandbox, ['--version']), `aisec ${version}\n`, version),
    },
    {
      title: 'Simulated scan, without network',
      run: async () => expected(await run(sandbox, SCAN), /^ALLOW .*SIMULATED$/m, 'ALLOW'),
    },
    {
      title: 'Simulated scan, by a user that the image does not know',
      run: async () => expected(await run(sandbox, SCAN, { user: STRANGER }), /^ALLOW .*SIMULATED$/m, 'ALLOW'),
    },
    { title: 'Scan over HTTP', run: () => scanOverHttp(sandbox) },
    { title: 'Results in a mounted folder', run: () => bulkScan(subject) },
    { title: 'SIGINT and SIGTERM during a bulk scan', run: () => interruptedScans(subject) },
    { title: 'SIGTERM to a server', run: () => stoppedServer(sandbox) },
  ];
}

function userOf({ config }: Sandbox, uid: string): string | Problem {
  const [configured = ''] = (config.User ?? '').split(':');
  if (uid !== '0' && uid === configured) return uid;
  return { found: `It runs as ${uid || 'nobody'}, and the image says ${configured}.`, remedy: 'Set USER to a number.' };
}

/** Describes files that others than root could change, or that would make them root. */
function filesProblem(files: readonly ImageFile[]): Problem | undefined {
  const open = files.filter(({ uid, mode }) => uid !== 0 || (mode & 0o6022) !== 0).map(({ path }) => path);
  return open.length === 0
    ? undefined
    : { found: `Others than root can use or write ${listed(open)}.`, remedy: 'Stage them with mode 0644 or 0755.' };
}

/** Describes the programs: a shell would be one of them. */
function programsOf(files: readonly ImageFile[]): string | Problem {
  const programs = files.filter(({ path, mode }) => (mode & 0o111) !== 0 && !LIBRARY.test(path));
  const names = programs.map(({ path }) => path);
  const known = new Set(['/opt/aisec/dist/aisec.cjs', '/usr/bin/flock', NODE]);
  const others = names.filter((name) => !known.has(name));
  if (others.length === 0) return `${listed(names)}; no shell`;
  return { found: `There are other programs: ${listed(others)}.`, remedy: 'Do not stage them.' };
}

/** Compares what a program wrote with what it has to write. */
function expected({ code, stdout, stderr }: Ended, wanted: string | RegExp, passed: string): string | Problem {
  const isRight = typeof wanted === 'string' ? stdout === wanted : wanted.test(stdout);
  if (code === 0 && isRight) return passed;
  const found = `It ended with ${code ?? 'a signal'}, stdout ${JSON.stringify(stdout.slice(0, 300))}, stderr ${JSON.stringify(stderr.slice(0, 300))}.`;
  return { found, remedy: 'Run the same command outside a container.' };
}

/** Scans against the simulated service in another container, over the loopback of this machine. */
async function scanOverHttp(sandbox: Sandbox): Promise<string | Problem> {
  const server = await startServer(sandbox);
  try {
    const lines = server.written().trim().split('\n');
    // By name, so that the C library has to find the host.
    const settings = lines.map((line) => line.replace('127.0.0.1', 'localhost').split('='));
    const environment = Object.fromEntries(settings) as Record<string, string>;
    const scan = SCAN.filter((word) => word !== '--simulate');
    return expected(
      await run(sandbox, scan, { network: true, environment }),
      /^ALLOW /m,
      'ALLOW, by the name localhost',
    );
  } finally {
    server.signal('SIGTERM');
    await server.ended;
  }
}

async function stoppedServer(sandbox: Sandbox): Promise<string | Problem> {
  const server = await startServer(sandbox);
  server.signal('SIGTERM');
  return expected(await server.ended, /^AISEC_TOKEN_URL=/m, 'exit code 0');
}

async function startServer(sandbox: Sandbox): Promise<Running> {
  const server = start(sandbox, ['simulate', '--port', '0'], { network: true });
  await until(server, () => server.written().includes('AISEC_TOKEN_URL'));
  return server;
}

async function bulkScan({ sandbox, folder }: Subject): Promise<string | Problem> {
  const data = dataFolder(folder, 20);
  const words = [...BULK, 'entry_id=prompts.txt', 'output_file=rows.jsonl'];
  const ended = await run(sandbox, words, { data });
  const rows = join(data, 'rows.jsonl');
  if (ended.code !== 0) return expected(ended, /./, '');
  const { uid } = statSync(rows);
  const lines = readFileSync(rows, 'utf8').trimEnd().split('\n');
  const isWhole = lines.length === 21 && lines.at(-1)?.includes('"aisec":"bulk-end"') === true;
  return isWhole && uid !== 0
    ? `20 rows and the end record, of user ${uid}`
    : { found: `rows.jsonl has ${lines.length} lines and belongs to user ${uid}.`, remedy: 'Compare docs/operate.md.' };
}

async function interruptedScans(subject: Subject): Promise<string | Problem> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const problem = await interruptedScan(subject, signal);
    if (problem !== undefined) return problem;
  }
  return 'exit code 130, whole lines';
}

async function interruptedScan({ sandbox, folder }: Subject, signal: NodeJS.Signals): Promise<Problem | undefined> {
  const data = dataFolder(folder, MANY);
  const partial = () => readdirSync(data).find((name) => name.endsWith('.partial.jsonl'));
  const scan = start(sandbox, [...BULK, 'entry_id=prompts.txt', 'output_file=rows.jsonl'], { data });
  await until(scan, () => statSync(join(data, partial() ?? 'none'), { throwIfNoEntry: false })?.size);
  scan.signal(signal);
  const { code } = await scan.ended;
  const text = readFileSync(join(data, partial() ?? 'none'), 'utf8');
  const isWhole = text.endsWith('}\n') && text.trimEnd().split('\n').every(isJson);
  if (code === 130 && isWhole) return undefined;
  return {
    found: `After ${signal} it ended with ${code ?? 'a signal'}; its rows are ${isWhole ? 'whole' : 'cut'}.`,
    remedy: 'Run tests/system/interrupts.',
  };
}

/** Makes a folder that the image's user may write to, as a user of the image would. */
function dataFolder(folder: string, prompts: number): string {
  const data = join(folder, 'data');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  chownSync(data, USER, USER);
  const text = Array.from({ length: prompts }, (_, index) => `Prompt number ${index}\n`).join('');
  writeFileSync(join(data, 'prompts.txt'), text);
  chmodSync(join(data, 'prompts.txt'), 0o644);
  return data;
}

/** Waits until something is there; a program that has ended can no longer bring it. */
async function until({ ended }: Running, isThere: () => unknown): Promise<void> {
  const state: { ended?: Ended } = {};
  void ended.then((end) => {
    state.ended = end;
  });
  for (let waited = 0; !isThere(); waited += POLL_MS) {
    if (state.ended !== undefined) throw new Error(`It ended too early: ${JSON.stringify(state.ended)}`);
    if (waited > WAIT_MS) throw new Error(`It did nothing for ${WAIT_MS / 1000} s.`);
    await delay(POLL_MS);
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
