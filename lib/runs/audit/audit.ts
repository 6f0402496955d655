/**
 * Writes one line for each event to an append-only file: who did what, from where, and how it ended. `calls.ts` fills the
 * lines of commands, and `lib/hosts/http/record-calls.ts` the lines of requests.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError, toAisecError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { dropPartialLine } from '../../node/files/append.ts';
import { type Lock, lock } from '../../node/files/lock.ts';
import { openPrivateFile } from '../../node/files/private-file.ts';
import { cannotWrite } from '../../node/files/writable.ts';
import { type Command, findCommand, type Registry } from '../../runtime/engine/command.ts';
import { cutLong, redactedArguments } from './redacted-arguments.ts';

/** Free space in bytes that is required after a failure; with less space, short lines would fit, but long lines would not. */
const ROOM = 16_384;

/** Members of every line; undefined members are omitted. */
interface Line {
  /** ISO 8601. */
  readonly time: string;
  readonly command?: string | undefined;
  /** The command's declaration, if the caller has it; it decides what the line may show. */
  readonly declaration?: Command | undefined;
  /** As received; they are redacted in the line. */
  readonly arguments?: JsonObject | undefined;
}

/** A command starts. */
export interface CallStart extends Line {
  readonly event: 'start';
  /** Links the start and end lines of a command. */
  readonly call: string;
  /** Id of the request that caused it. */
  readonly request: string;
  readonly caller: string;
  readonly role?: string | undefined;
  readonly tenant?: string | undefined;
  readonly remote?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** A command has ended. */
export interface CallEnd extends Line, Pick<CallStart, 'call' | 'request' | 'caller'> {
  readonly event: 'end';
  /** `done`, `partial` with the code of the failure, or the code of the error. */
  readonly outcome: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** A request was answered. */
export interface AuditEntry extends Line, Pick<CallStart, 'role' | 'tenant' | 'dryRun'> {
  readonly event?: 'request' | undefined;
  /** Id of the request. */
  readonly id: string;
  /** Name of the token; undefined if the token was refused. */
  readonly caller?: string | undefined;
  /** IP address. */
  readonly remote: string;
  readonly method: string;
  /** Pattern of the route; the address itself may contain anything. */
  readonly route: string;
  /** Id of the run that the request started, read or stopped. */
  readonly run?: string | undefined;
  readonly status: number;
  /** Code of the problem, if the request failed. */
  readonly code?: string | undefined;
  /** Milliseconds. */
  readonly ms: number;
}

export interface Audit {
  /** Whether lines are kept in a file. */
  readonly isKept: boolean;
  /** Writes a line. Never fails: a line that cannot be written is passed to `warn` in full. */
  write(entry: AuditEntry | CallEnd): Promise<unknown>;
  /**
   * Writes a command's line before it starts.
   * @param isRequired the command may change something
   * @throws ConfigurationError if the line is required and cannot be written
   */
  begin(entry: CallStart, isRequired: boolean): Promise<void>;
  /**
   * Checks before a change that lines can be written; after a failure, tries to write.
   * @throws ConfigurationError otherwise: the change would go unrecorded
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface AuditOptions {
  /** Says which arguments are secrets, and which are user content. */
  readonly registry: Registry;
  /** Shows a message to the operator of the service. */
  readonly warn: (message: string) => void;
}

/**
 * Opens the file, and creates it if missing.
 * @param path without one, nothing is written
 * @throws ConfigurationError for a link, or a file that others can read; ConflictError if another process writes to it
 */
export async function openAudit(path: string | undefined, options: AuditOptions): Promise<Audit> {
  if (path !== undefined) return openedAudit(path, options);
  const nothing = async () => undefined;
  return { isKept: false, write: nothing, begin: nothing, check: nothing, close: nothing };
}

async function openedAudit(path: string, options: AuditOptions): Promise<Audit> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const held = await lock(`${path}.lock`);
  try {
    const { O_APPEND, O_CREAT, O_RDWR } = constants;
    const file = await openPrivateFile('audit file', path, O_RDWR | O_APPEND | O_CREAT);
    if (file === undefined) throw new ConfigurationError(`The audit file ${path} cannot be created.`);
    await dropPartialLine(file);
    return new AuditFile({ path, file, held, ...options });
  } catch (thrown) {
    await held.release();
    throw thrown;
  }
}

interface AuditParts extends AuditOptions {
  readonly path: string;
  readonly file: FileHandle;
  /** Only one process at a time may write to the file. */
  readonly held: Lock;
}

class AuditFile implements Audit {
  readonly isKept = true;
  readonly #parts: AuditParts;
  /** Number of lines missing from the file. */
  #lost = 0;
  #failed = false;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  async begin(entry: CallStart, isRequired: boolean): Promise<void> {
    const isWritten = await this.write(entry);
    if (!isWritten && isRequired) throw unwritable();
  }

  async check(): Promise<void> {
    if (!this.#failed) return;
    try {
      await this.#append('');
    } catch {
      throw unwritable();
    }
  }

  /** Closes the file after the lines that are being written. */
  async close(): Promise<void> {
    await this.#last;
    await this.#parts.file.close();
    await this.#parts.held.release();
  }

  /** @returns whether the line is in the file */
  async write(entry: AuditEntry | CallStart | CallEnd): Promise<boolean> {
    const { registry, warn } = this.#parts;
    const line = await lineOf(entry, registry);
    try {
      await this.#append(line);
      return true;
    } catch (thrown) {
      const { message } = toAisecError(thrown);
      warn(`${message} Changes are refused until it can be written. Not in the file: ${line.trim()}`);
      return false;
    }
  }

  /** Appends a line, in call order; first records how many lines are missing. */
  #append(line: string): Promise<void> {
    const written = this.#last.then(async () => {
      try {
        await this.#parts.held.check();
        if (this.#failed) await this.#requireRoom();
        if (this.#lost > 0) await this.#write(`${JSON.stringify({ lost: this.#lost })}\n`);
        this.#lost = 0;
        await this.#write(line);
        this.#failed = false;
      } catch (thrown) {
        this.#failed = true;
        if (line !== '') this.#lost += 1;
        const what = `The audit file ${this.#parts.path} cannot be written`;
        throw cannotWrite(what, thrown, 'Check the file and its directory.');
      }
    });
    this.#last = written.catch(() => undefined);
    return written;
  }

  /** Checks that lines can be written again. */
  async #requireRoom(): Promise<void> {
    await this.#write(' '.repeat(ROOM));
    await dropPartialLine(this.#parts.file);
  }

  async #write(text: string): Promise<void> {
    const { file } = this.#parts;
    try {
      await file.appendFile(text);
    } catch (thrown) {
      await dropPartialLine(file).catch(() => undefined);
      throw thrown;
    }
  }
}

function unwritable(): ConfigurationError {
  return new ConfigurationError('The audit file cannot be written, so nothing is changed.', {
    hint: 'The operator of the service can see the reason in its log.',
    retryable: true,
  });
}

/** Returns a call and its end as JSON, in one line because JSON escapes line feeds. */
async function lineOf(
  { command: name, declaration, arguments: args, ...entry }: AuditEntry | CallStart | CallEnd,
  registry: Registry,
): Promise<string> {
  const command = declaration ?? (name === undefined ? undefined : await findCommand(registry, name));
  const members: [string, unknown][] = Object.entries(entry).map(([member, value]) => [
    member,
    typeof value === 'string' ? cutLong(value) : value,
  ]);
  // An unknown name may be anything, even a prompt.
  if (name !== undefined) members.push(['command', command?.name ?? '(unknown)']);
  if (command !== undefined && args !== undefined) members.push(['arguments', redactedArguments(command, args)]);
  return `${JSON.stringify(Object.fromEntries(members))}\n`;
}
