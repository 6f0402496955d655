/** Opens pages in the user's browser, and finds the pages of scans in a folder. */
import { mkdtemp, open, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SubcommandContext } from '../../hosts/terminal/line/subcommand.ts';
import { opensFile } from '../../hosts/terminal/result/open-in-browser.ts';
import { sanitize } from '../../hosts/terminal/ui/sanitize.ts';

/** Name of the element that holds the id of a page's scan. */
export const SCAN_MARK = 'aisec-scan';

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
  if (await opensFile(path, host)) return;
  screen.note(sanitize(`note: no browser could be opened; the page is in ${path}`));
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
