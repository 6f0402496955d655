/**
 * State that all connections of one server share: the library client, the tools, and the files that commands created.
 */

import { readFile, stat } from 'node:fs/promises';
import type { Resource } from '@modelcontextprotocol/server';
import type { Client } from '../../client/types.ts';
import type { SavedFile } from '../../core/ports.ts';
import { fileShelf, type ShelvedFile } from '../../node/files/file-shelf.ts';
import type { PlaybookText } from '../../playbook/playbook.ts';
import { plain } from './content.ts';
import type { Reach } from './reach.ts';
import type { Tool } from './tools.ts';

/** Runs something later. @returns a function that cancels it */
export type Later = (milliseconds: number, run: () => void) => () => void;

export interface Agent extends Reach {
  readonly client: Client<object>;
  readonly tools: readonly Tool[];
  readonly files: FileResources;
  readonly version: string;
  readonly playbooks: () => Promise<readonly PlaybookText[]>;
  /** Runs something later. Default: by a timer. */
  readonly later?: Later | undefined;
}

const MOST = 1000;
/** Maximum size of a file served as a resource; larger files must be fetched from the directory. */
const MAX_BYTES = 10_000_000;
const SCHEME = 'aisec://files/';

/** The file collection; beyond a thousand files, it forgets the oldest. */
export class FileResources {
  readonly #shelf = fileShelf(MOST);

  add({ name, contentType, ...file }: SavedFile): Resource {
    return resourceOf(this.#shelf.add({ ...file, name: plain(name), contentType: plain(contentType) }));
  }

  list(): Resource[] {
    return this.#shelf.list().map(resourceOf);
  }

  /** Reads a file. @returns undefined for an unknown address */
  async read(uri: string): Promise<{ readonly mimeType: string; readonly bytes: Buffer } | undefined> {
    const found = this.#shelf.find(/^aisec:\/\/files\/(\w+)\//.exec(uri)?.[1] ?? '');
    if (found === undefined || resourceOf(found).uri !== uri) return undefined;
    // Treat a removed file as unknown: the system error would reveal a path of this machine.
    const { size } = (await stat(found.path).catch(() => undefined)) ?? {};
    if (size === undefined) return undefined;
    if (size > MAX_BYTES) throw new Error(`${found.name} has ${size} bytes; a resource has at most ${MAX_BYTES}.`);
    return { mimeType: found.contentType, bytes: await readFile(found.path) };
  }
}

function resourceOf({ id, name, contentType, size }: ShelvedFile): Resource {
  return {
    uri: `${SCHEME}${id}/${encodeURIComponent(name)}`,
    name,
    mimeType: contentType,
    ...(size === undefined ? {} : { size }),
  };
}
