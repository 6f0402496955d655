/** Files of the platform: war-room entries by id. Scripts can read their text, but not their bytes. */
import { textReader } from '../../bulk/lines.ts';
import { UsageError } from '../../core/errors.ts';
import type { FileEntry, Files, TextWriter } from '../../core/ports.ts';
import { utf8Length } from '../../text/utf8.ts';
import { attempt, type PlatformGlobals } from './globals.ts';

/**
 * Reads the text of a file entry.
 * @throws UsageError if there is no such entry, or it is not UTF-8 text
 */
export function fileText({ getFileByEntryID }: PlatformGlobals, { entry }: FileEntry): string {
  const text = attempt(() => getFileByEntryID?.(entry));
  if (typeof text === 'string') return decoded(entry, text);
  throw new UsageError(`There is no file entry ${entry}, or it holds no text.`, {
    hint: 'Give the entry id of an uploaded file.',
  });
}

/** The platform replaces invalid UTF-8 by this character, so the bytes are lost. */
const REPLACEMENT = '\ufffd';

function decoded(entry: string, text: string): string {
  const at = text.indexOf(REPLACEMENT);
  if (at < 0) return text;
  const line = text.slice(0, at).split('\n').length;
  throw new UsageError(`The file entry ${entry} is not UTF-8 text: line ${line} has bytes that cannot be read.`, {
    hint: 'Save it as UTF-8 and upload it again.',
  });
}

/** Creates the file port of one command. */
export function platformFiles(globals: PlatformGlobals): Files {
  return {
    find: async (entry) => ({ entry, name: entry, size: undefined }),
    read: async (file) => textReader(fileText(globals, file)),
    create: async (name, contentType) => writer(globals.saveFile, name, contentType),
    journal: async (_, resume) => {
      if (!resume) return undefined;
      throw new UsageError('The platform keeps no state of a stopped run, so it cannot be resumed here.', {
        hint: 'Omit resume to start over.',
      });
    },
  };
}

function writer(save: PlatformGlobals['saveFile'], name: string, contentType: string): TextWriter {
  const pieces: string[] = [];
  return {
    write: async (text) => {
      pieces.push(text);
    },
    close: async () => {
      const text = pieces.join('');
      const entry = attempt(() => save?.(text));
      if (typeof entry !== 'string') throw new UsageError(`The platform did not save the file ${name}.`);
      return { entry, name, size: utf8Length(text), contentType };
    },
  };
}
