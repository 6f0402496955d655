import { strToU8, zipSync } from 'fflate';

/** Modification time of all entries, in local time as ZIP stores it, so that the archive is reproducible. */
const MOMENT = new Date(2026, 0, 1, 12);

/** Creates a ZIP archive of texts, in the order of the map. */
export function zipped(files: ReadonlyMap<string, string>): Uint8Array {
  const entries = Array.from(files, ([path, text]) => [path, strToU8(text)] as const);
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: MOMENT });
}
