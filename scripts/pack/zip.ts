import { strToU8, zipSync } from 'fflate';

/** A ZIP archive keeps local time: the same moment of every clock, so that the same files make the same bytes anywhere. */
const MOMENT = new Date(2026, 0, 1, 12);

/** A ZIP archive of texts, in the order of the map. */
export function zipped(files: ReadonlyMap<string, string>): Uint8Array {
  const entries = Array.from(files, ([path, text]) => [path, strToU8(text)] as const);
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: MOMENT });
}
