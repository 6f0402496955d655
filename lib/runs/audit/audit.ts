/** Writes one line for each event to an append-only file: who did what, from where, and how it ended. */
import { ConfigurationError, toAisecError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Command, findCommand, type Registry } from '../../engine/command.ts';
import { LockedLines } from './locked-lines.ts';
import { cut, redactedArguments } from './redacted-arguments.ts';

/** Members of every line; undefined members are omitted. */
interface Line {
  /** ISO 8601. */
  readonly time: string;
  readonly command?: string | undefined;
  /** The declaration, if the caller has found it; it decides what the line may show. */
  readonly declaration?: Command | undefined;
  /** As received; the line has them redacted. */
  readonly arguments?: JsonObject | undefined;
}

/** A command starts. */
export interface CallStart extends Line {
  readonly event: 'start';
  /** Connects the two lines of a command. */
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
  /** Name of the token; undefined if it was refused. */
  readonly caller?: string | undefined;
  /** IP address. */
  readonly remote: string;
  readonly method: string;
  /** Pattern of the route; the address itself may contain anything. */
  readonly route: string;
  /** Id of the run that it started, read or stopped. */
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
  /** Writes a line. It never fails: a line that cannot be written goes to `warn` as a whole. */
  write(entry: AuditEntry | CallEnd): Promise<unknown>;
  /**
   * Writes the line of a command before it starts.
   * @param isRequired it may change something
   * @throws ConfigurationError if the line is required and cannot be written
   */
  begin(entry: CallStart, isRequired: boolean): Promise<void>;
  /**
   * Checks before a change that lines can be written; after a failure it tries to write.
   * @throws ConfigurationError otherwise: the change would go unrecorded
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface AuditOptions {
  /** Declares which arguments are secrets and content. */
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
  if (path !== undefined) return new AuditFile(await LockedLines.open(path), options);
  const nothing = async () => undefined;
  return { isKept: false, write: nothing, begin: nothing, check: nothing, close: nothing };
}

class AuditFile implements Audit {
  readonly isKept = true;
  readonly #file: LockedLines;
  readonly #options: AuditOptions;
  /** Lines that are missing in the file. */
  #lost = 0;
  #failed = false;

  constructor(file: LockedLines, options: AuditOptions) {
    this.#file = file;
    this.#options = options;
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

  close(): Promise<void> {
    return this.#file.close();
  }

  /** @returns whether it is in the file */
  async write(entry: AuditEntry | CallStart | CallEnd): Promise<boolean> {
    const { registry, warn } = this.#options;
    const line = await lineOf(entry, registry);
    try {
      await this.#append(line);
      return true;
    } catch (thrown) {
      this.#lost += 1;
      const { message } = toAisecError(thrown);
      warn(`${message} Changes are refused until it can be written. Not in the file: ${line.trim()}`);
      return false;
    }
  }

  async #append(line: string): Promise<void> {
    const missing = this.#lost;
    this.#lost = 0;
    try {
      // Report missing lines as soon as a line can be written.
      await this.#file.append(missing === 0 ? line : `${JSON.stringify({ lost: missing })}\n${line}`);
      this.#failed = false;
    } catch (thrown) {
      this.#lost += missing;
      this.#failed = true;
      throw thrown;
    }
  }
}

function unwritable(): ConfigurationError {
  return new ConfigurationError('The audit file cannot be written, so nothing is changed.', {
    hint: 'The operator of the service finds the reason in its messages.',
    retryable: true,
  });
}

/** Returns the JSON of a call, with its end. JSON escapes line feeds, so that it is one line. */
async function lineOf(
  { command: name, declaration, arguments: args, ...entry }: AuditEntry | CallStart | CallEnd,
  registry: Registry,
): Promise<string> {
  const command = declaration ?? (name === undefined ? undefined : await findCommand(registry, name));
  const members: [string, unknown][] = Object.entries(entry).map(([member, value]) => [
    member,
    typeof value === 'string' ? cut(value) : value,
  ]);
  // An unknown name may be anything, even a prompt.
  if (name !== undefined) members.push(['command', command?.name ?? '(unknown)']);
  if (command !== undefined && args !== undefined) members.push(['arguments', redactedArguments(command, args)]);
  return `${JSON.stringify(Object.fromEntries(members))}\n`;
}
