/** Opens pages in the user's browser, and finds the pages of scans in a folder. */
import { spawn } from 'node:child_process';
import { mkdtemp, open, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SECRET_VARIABLES } from '../../hosts/terminal/line/options.ts';
import type { SubcommandContext } from '../../hosts/terminal/line/subcommand.ts';
import type { Environment, TerminalHost } from '../../hosts/terminal/ui/host.ts';
import { sanitize } from '../../hosts/terminal/ui/sanitize.ts';

/** Name of the element that holds the id of a page's scan. */
export const SCAN_MARK = 'aisec-scan';

/** Some openers run as long as the browser does, so after this time without a failure, the page counts as open. */
const OPENED_MS = 2000;

interface Asked {
  readonly html?: string | undefined;
  readonly open?: boolean;
  readonly dryRun: boolean;
}

/**
 * Works with the file of a page: the file in the options or, for `--open` only, a new file in its own folder that only
 * the user can read, because pages contain prompts and answers. If no page was written, removes the folder again.
 */
export async function withPageFile<Value>(
  { html, open, dryRun }: Asked,
  name: string,
  work: (file: string | undefined) => Promise<Value>,
): Promise<Value> {
  if (html !== undefined || open !== true) return work(html);
  if (dryRun) return work(join(tmpdir(), name));
  const folder = await mkdtemp(join(tmpdir(), 'aisec-page-'));
  try {
    return await work(join(folder, name));
  } finally {
    // Fails if the folder contains the page.
    await rmdir(folder).catch(() => undefined);
  }
}

/** Opens a page, unless this is a dry run. If there is no browser, prints a note with the path instead of failing. */
export async function openPage(
  file: string,
  { host, options, screen }: Pick<SubcommandContext, 'host' | 'options' | 'screen'>,
): Promise<void> {
  if (options.dryRun) return;
  const path = resolve(file);
  if (await opens(path, host)) return;
  screen.note(sanitize(`note: no browser could be opened; the page is in ${path}`));
}

async function opens(path: string, { environment }: TerminalHost): Promise<boolean> {
  const opener = openerOf(process.platform, environment);
  if (opener === undefined) return false;
  const [program, ...words] = opener;
  // The browser needs no credentials.
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_VARIABLES.includes(name)));
  const child = spawn(program, [...words, path], { detached: true, stdio: 'ignore', env });
  child.unref();
  const ended = new Promise<boolean>((done) => {
    child.once('error', () => done(false));
    child.once('close', (code) => done(code === 0));
  });
  return Promise.race([ended, pause(OPENED_MS, true)]);
}

/** Returns the program that opens a file, with its first arguments; undefined if there is no display. */
export function openerOf(
  platform: NodeJS.Platform,
  environment: Environment,
): readonly [program: string, ...words: string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // Do not use cmd.exe, which would read a file name as a command line.
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler'];
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'].some(
    (name) => (environment[name] ?? '') !== '',
  );
  return hasDisplay ? ['xdg-open'] : undefined;
}

const MAX_FILES = 1000;
/** The scan id is in the first lines of a page. */
const HEAD_BYTES = 512;
const MARK = new RegExp(`<meta name="${SCAN_MARK}" content="([\\w-]+)"`);

/** Returns the file names of the pages in a folder by scan id, skipping unreadable files. */
export async function scanPagesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.flatMap((entry) => (entry.isFile() && entry.name.endsWith('.html') ? entry.name : []));
  const pages = new Map<string, string>();
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const scan = MARK.exec(await headOf(join(folder, name)).catch(() => ''))?.[1];
    if (scan !== undefined) pages.set(scan, name);
  }
  return pages;
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES) });
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
