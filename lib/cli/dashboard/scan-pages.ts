/** Finds the pages that `aisec report` wrote to a folder. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SCAN_MARK } from '../../features/report/page/page.ts';

const MAX_FILES = 1000;
/** A page has its mark in its first lines. */
const HEAD_BYTES = 512;
const MARK = new RegExp(`<meta name="${SCAN_MARK}" content="([\\w-]+)"`);

/** Returns the file names of the pages in a folder by the id of their scan, without unreadable files. */
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
