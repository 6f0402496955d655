/** The audit file: whole lines, written by one process at a time. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError } from '../../core/errors.ts';
import { dropPartialLine, serialised } from '../../node/files/append.ts';
import { openPrivateFile } from '../../node/files/private-file.ts';
import { cannotWrite } from '../../node/files/writable.ts';
import { type Lock, lock } from '../../node/locks/lock.ts';

/** Free space in bytes that is needed after a failure; otherwise short lines would fit, but long lines would not. */
const ROOM = 16_384;

/** A locked file of whole lines. */
export class LockedLines {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #held: Lock;
  /** Bytes of the whole lines. */
  #size: number;
  #isWhole = true;
  /** Appends in the order of the calls. */
  readonly append = serialised((text: string) => this.#append(text));

  private constructor(path: string, file: FileHandle, held: Lock, size: number) {
    this.#path = path;
    this.#file = file;
    this.#held = held;
    this.#size = size;
  }

  /** Opens the file, and creates it if missing. @throws ConfigurationError, ConflictError */
  static async open(path: string): Promise<LockedLines> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const held = await lock(`${path}.lock`);
    try {
      const { O_APPEND, O_CREAT, O_RDWR } = constants;
      const file = await openPrivateFile('audit file', path, O_RDWR | O_APPEND | O_CREAT);
      if (file === undefined) throw new ConfigurationError(`The audit file ${path} cannot be created.`);
      return new LockedLines(path, file, held, await dropPartialLine(file));
    } catch (thrown) {
      await held.release();
      throw thrown;
    }
  }

  /** Closes the file after the lines that are being written. */
  async close(): Promise<void> {
    await this.append('').catch(() => undefined);
    await this.#file.close();
    await this.#held.release();
  }

  async #append(text: string): Promise<void> {
    try {
      this.#held.check();
      if (!this.#isWhole) await this.#requireRoom();
      this.#isWhole = false;
      await this.#file.appendFile(text);
      this.#size += Buffer.byteLength(text);
    } catch (thrown) {
      // Remove all lines of a failed write, because all of them are reported.
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw cannotWrite(`The audit file ${this.#path} cannot be written`, thrown, 'Check the file and its directory.');
    }
    this.#isWhole = true;
  }

  /** Checks that lines can be written again. */
  async #requireRoom(): Promise<void> {
    await this.#file.truncate(this.#size);
    await this.#file.appendFile(' '.repeat(ROOM));
    await this.#file.truncate(this.#size);
  }
}
