/** Files that commands made, as resources. Only these can be read, by an id that cannot be guessed. */
import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { SavedFile } from '../../ports.ts';
import { plain } from './content.ts';

const MOST = 1000;
/** Larger files have to be fetched from the directory. */
const MAX_BYTES = 10_000_000;
const SCHEME = 'aisec://files/';

export interface FileResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size?: number;
}

export interface FileShelf {
  add(file: SavedFile): FileResource;
  list(): readonly FileResource[];
  /** Reads a file. @returns undefined for an address that is not one of them */
  read(uri: string): Promise<{ readonly mimeType: string; readonly bytes: Buffer } | undefined>;
}

/** Creates the collection; it forgets the oldest of more than a thousand. */
export function fileShelf(): FileShelf {
  const files = new Map<string, { readonly resource: FileResource; readonly path: string }>();
  return {
    add({ entry, name: given, size, contentType }) {
      const name = plain(given);
      const uri = `${SCHEME}${randomBytes(12).toString('hex')}/${encodeURIComponent(name)}`;
      const resource = {
        uri,
        name,
        mimeType: plain(contentType),
        ...(size === undefined ? {} : { size }),
      };
      files.set(uri, { resource, path: entry });
      for (const oldest of files.keys()) {
        if (files.size <= MOST) break;
        files.delete(oldest);
      }
      return resource;
    },
    list: () => [...files.values()].map(({ resource }) => resource),
    async read(uri) {
      const found = files.get(uri);
      if (found === undefined) return undefined;
      // One that was removed in the meantime is none; what the system says of it names a path of this machine.
      const { size } = (await stat(found.path).catch(() => undefined)) ?? {};
      if (size === undefined) return undefined;
      if (size > MAX_BYTES)
        throw new Error(`${found.resource.name} has ${size} bytes; a resource has at most ${MAX_BYTES}.`);
      return { mimeType: found.resource.mimeType, bytes: await readFile(found.path) };
    },
  };
}
