import { UsageError } from '../../lib/errors.ts';
import type { Files } from '../../lib/ports.ts';

/** Files that live in memory, by name. */
export function memoryFiles(
  contents: Record<string, string> = {},
): Files & { readonly contents: Record<string, string> } {
  return {
    contents,
    find: async (entry) => {
      const text = contents[entry];
      if (text === undefined) throw new UsageError(`There is no file ${entry}.`);
      return { entry, name: entry, size: Buffer.byteLength(text) };
    },
    read: async ({ entry }) => {
      const pieces = (contents[entry] ?? '').match(/[\s\S]{1,1000}/g) ?? [];
      return { next: async () => pieces.shift(), close: async () => undefined };
    },
    create: async (name, contentType) => {
      const pieces: string[] = [];
      return {
        write: async (text) => {
          pieces.push(text);
        },
        close: async () => {
          contents[name] = pieces.join('');
          return { entry: name, name, size: Buffer.byteLength(contents[name]), contentType };
        },
      };
    },
  };
}
