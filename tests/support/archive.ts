import { strFromU8, unzipSync } from 'fflate';

/** Unpacks a ZIP archive. @returns file texts, by name */
export function unzipped(archive: Uint8Array): Map<string, string> {
  return new Map(Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, strFromU8(bytes)]));
}
