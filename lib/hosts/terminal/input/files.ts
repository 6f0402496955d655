/** Adds standard input to the files of the machine, under the name `-`. */
import { UsageError } from '../../../core/errors.ts';
import type { FileEntry, Files } from '../../../core/ports.ts';
import { DASH, type Refusal, type StandardInput } from './standard-input.ts';

interface Source {
  readonly input: StandardInput;
  /** Ends the reading of standard input. */
  readonly signal?: AbortSignal | undefined;
}

const IS_TERMINAL: Refusal = {
  reason: 'standard input is a terminal',
  hint: 'Redirect a file to it with <FILE, or pipe a text into it.',
};

/** Loaded on use: most commands name files. */
const spooling = () => import('./spool.ts');

/**
 * Adds standard input. It is copied to a private file first, because commands read a file twice, need its size, and
 * resume with it.
 */
export function withInput(inner: Files, { input, signal }: Source) {
  let copy: FileEntry | undefined;
  const findInput = async (): Promise<FileEntry> => {
    const taken = input.take();
    if ('refusal' in taken) throw refused(taken.refusal);
    if (taken.stream.isTTY === true) throw refused(IS_TERMINAL);
    copy = await (await spooling()).spool(taken.stream, signal);
    return copy;
  };
  const files: Files = {
    ...inner,
    find: (entry) => (entry === DASH ? findInput() : inner.find(entry)),
    read: async (file) => (file.entry === copy?.entry ? (await spooling()).readSpooled(copy.entry) : inner.read(file)),
    // As the only prompt of a scan, it is a misplaced name.
    exists: async (name) => name === DASH || ((await inner.exists?.(name)) ?? false),
  };
  return {
    files,
    /** Removes the copy of standard input. */
    remove: async () => {
      if (copy !== undefined) await (await spooling()).removeSpooled(copy.entry);
    },
  };
}

function refused({ reason, hint }: Refusal): UsageError {
  return new UsageError(`"-" means standard input, and ${reason}.`, { hint: `${hint} A file of this name is ./-.` });
}
