/** Writes one line for each event to an append-only file: who did what, from where, and how it ended. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findCommand, type Registry } from '../../engine/command.ts';
import { ConfigurationError, toAisecError } from '../../engine/errors.ts';
import type { JsonObject } from '../../engine/json.ts';
import { dropPartialLine, serialised } from '../../node/files/append.ts';
import { openPrivateFile } from '../../node/files/private-file.ts';
import { cannotWrite } from '../../node/files/writable.ts';
import { lock } from '../../node/locks/lock.ts';
import { cut, redactedArguments } from './redacted-arguments.ts';

/** What every line has. Undefined members are left out of a line. */
interface Line {
  /** ISO 8601. */
  readonly time: string;
  readonly command?: string | undefined;
  /** As they were sent; the line has them redacted. */
  readonly arguments?: JsonObject | undefined;
}

/** A command starts. */
export interface CallStart extends Line {
  readonly event: 'start';
  /** Connects the two lines of a command. */
  readonly call: string;
  /** Id of the request that it comes from. */
  readonly request: string;
  readonly caller: string;
  readonly role?: string | undefined;
  readonly tenant?: string | undefined;
  readonly remote?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** A command has ended. */
export interface CallEnd extends Line {
  readonly event: 'end';
  readonly call: string;
  readonly request: string;
  readonly caller: string;
  /** `done`, `partial` with the code of the failure, or the code of the error. */
  readonly outcome: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** A request was answered. */
export interface AuditEntry extends Line {
  readonly event?: 'request' | undefined;
  /** Of the request. */
  readonly id: string;
  /** Name of the token; undefined if it was refused. */
  readonly caller?: string | undefined;
  readonly role?: string | undefined;
  readonly tenant?: string | undefined;
  /** IP address. */
  readonly remote: string;
  readonly method: string;
  /** Pattern of the route, not the address, which may have anything in it. */
  readonly route: string;
  /** Id of the run that it started, read or stopped. */
  readonly run?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly status: number;
  /** Of the problem, if it failed. */
  readonly code?: string | undefined;
  /** Milliseconds. */
  readonly ms: number;
}

export interface Audit {
  /** There is a file. */
  readonly isKept: boolean;
  /** Writes a line. It never fails: a line that cannot be written goes to `warn` as a whole. */
  write(entry: AuditEntry | CallEnd): Promise<void>;
  /**
   * Writes the line of a command before it starts.
   * @param isRequired it may change something
   * @throws ConfigurationError if the line is required and cannot be written
   */
  begin(entry: CallStart, isRequired: boolean): Promise<void>;
  /**
   * Checks before a call that changes something that lines can be written; after a failure it tries.
   * @throws ConfigurationError if not, because no line would say who changed it
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface AuditOptions {
  /** Declares which arguments are secrets and content. */
  readonly registry: Registry;
  /** Tells the person who runs the service. */
  readonly warn: (message: string) => void;
}

/**
 * Opens the file, and creates it if missing.
 * @param path without one, nothing is written
 * @throws ConfigurationError for a link, or a file that others can read; ConflictError if another process writes to it
 */
export async function openAudit(path: string | undefined, { registry, warn }: AuditOptions): Promise<Audit> {
  if (path === undefined) {
    const nothing = async () => undefined;
    return { isKept: false, write: nothing, begin: nothing, check: nothing, close: nothing };
  }
  const lines = await openLines(path);
  let lost = 0;
  let failed = false;
  const append = async (line: string) => {
    const missing = lost;
    lost = 0;
    try {
      // Says where lines are missing, as soon as one can be written.
      await lines.append(missing === 0 ? line : `${JSON.stringify({ lost: missing })}\n${line}`);
      failed = false;
    } catch (thrown) {
      lost += missing;
      failed = true;
      throw thrown;
    }
  };
  const write = async (entry: AuditEntry | CallStart | CallEnd): Promise<boolean> => {
    const line = await lineOf(entry, registry);
    try {
      await append(line);
      return true;
    } catch (thrown) {
      lost += 1;
      const { message } = toAisecError(thrown);
      warn(`${message} Calls that change something are refused until it can. Not in the file: ${line.trim()}`);
      return false;
    }
  };
  return {
    isKept: true,
    write: async (entry) => void (await write(entry)),
    begin: async (entry, isRequired) => {
      const isWritten = await write(entry);
      if (!isWritten && isRequired) throw unwritable();
    },
    check: async () => {
      if (!failed) return;
      try {
        await append('');
      } catch {
        throw unwritable();
      }
    },
    close: lines.close,
  };
}

function unwritable(): ConfigurationError {
  return new ConfigurationError('The audit file cannot be written, so nothing is changed.', {
    hint: 'The person who runs the service finds the reason in its messages.',
    retryable: true,
  });
}

/** Free space, in bytes, that ends a failure: otherwise short lines would pass, and long ones would not. */
const ROOM = 16_384;

/** Checks that lines can be written again. @param size of the whole lines */
async function requireRoom(file: FileHandle, size: number): Promise<void> {
  await file.truncate(size);
  await file.appendFile(' '.repeat(ROOM));
  await file.truncate(size);
}

async function openLines(path: string) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const held = await lock(`${path}.lock`);
  try {
    const { O_APPEND, O_CREAT, O_RDWR } = constants;
    const file = await openPrivateFile('audit file', path, O_RDWR | O_APPEND | O_CREAT);
    if (file === undefined) throw new ConfigurationError(`The audit file ${path} cannot be created.`);
    let size = await dropPartialLine(file);
    let isWhole = true;
    const append = serialised(async (text) => {
      try {
        held.check();
        if (!isWhole) await requireRoom(file, size);
        isWhole = false;
        await file.appendFile(text);
        size += Buffer.byteLength(text);
      } catch (thrown) {
        // None of the lines of a failed write stay, because all of them are reported.
        await file.truncate(size).catch(() => undefined);
        throw cannotWrite(`The audit file ${path} cannot be written`, thrown, 'Check the file and its directory.');
      }
      isWhole = true;
    });
    return {
      append,
      close: async () => {
        // Behind the lines that are being written.
        await append('').catch(() => undefined);
        await file.close();
        await held.release();
      },
    };
  } catch (thrown) {
    await held.release();
    throw thrown;
  }
}

/** Returns the JSON of a call, with its end. JSON escapes line feeds, so that it is one line. */
async function lineOf(
  { command: name, arguments: args, ...entry }: AuditEntry | CallStart | CallEnd,
  registry: Registry,
): Promise<string> {
  const command = name === undefined ? undefined : await findCommand(registry, name);
  const members: [string, unknown][] = Object.entries(entry).map(([member, value]) => [
    member,
    typeof value === 'string' ? cut(value) : value,
  ]);
  if (name !== undefined) members.push(['command', command?.name ?? UNKNOWN]);
  if (command !== undefined && args !== undefined) members.push(['arguments', redactedArguments(command, args)]);
  return `${JSON.stringify(Object.fromEntries(members))}\n`;
}

/** A name that no command has may be anything, such as a prompt. */
const UNKNOWN = '(unknown)';
