/**
 * Keeps the result of a change until its output has left the process, because the change cannot be repeated and its
 * secret cannot be read again.
 */
import { AisecError, PartialError, UsageError } from '../../../core/errors.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import { MASK } from '../../../runtime/output/mask.ts';
import { heading, type Readable } from '../../../runtime/output/readable.ts';
import { issuesSecret } from '../../../runtime/output/record.ts';
import type { Issued, Result } from '../../../runtime/output/result.ts';
import type { Format } from '../line/options.ts';
import type { Choice } from '../line/output-options.ts';
import type { Execution } from '../line/subcommand.ts';
import { jsonText } from '../ui/json.ts';
import { asJson } from './results.ts';

/** Loaded on use, because most output reaches its reader. */
const files = () => import('./private-result.ts');

/** Time limit for the last output after a stop, because the reader may not be reading. */
const LAST_OUTPUT_MS = 500;

export type Keeper = Pick<ResultKeeper, 'take' | 'delivered' | 'failed'>;

/**
 * Creates the keeper of one command. @returns undefined for a command that changes nothing, and in a war room, which
 * keeps its context
 * @throws ConfigurationError if a one-time secret could not be saved
 */
export async function openKeeper(command: Command, execution: Execution, choice: Choice): Promise<Keeper | undefined> {
  const { options, format, mode } = execution;
  const { name } = command;
  if (mode === 'war-room' && !options.reveal) return undefined;
  const reveals = options.reveal && isMasked(format);
  if (options.reveal && mode === 'one-shot' && !issuesSecret(command)) throw nothingToReveal(name);
  if (mode === 'war-room') return reveals ? REVEALING : undefined;
  if (command.effect === 'read' || options.dryRun) return undefined;
  if (issuesSecret(command) && !reveals) await (await files()).requireRoom(execution);
  return new ResultKeeper(command, execution, { ...choice, reveals });
}

class ResultKeeper {
  private readonly name: string;
  private readonly execution: Execution;
  private readonly choice: Choice & { readonly reveals: boolean };
  private taken: Result | undefined;
  /** File of a one-time secret that the output shows too; removed once the output has left the process. */
  private pending: string | undefined;

  constructor({ name }: Command, execution: Execution, choice: Choice & { readonly reveals: boolean }) {
    this.name = name;
    this.execution = execution;
    this.choice = choice;
  }

  /** Saves a one-time secret before anything can fail. @returns the result to show */
  async take(result: Result): Promise<Result> {
    if (result.planned) return result;
    this.taken = result;
    return result.issued === undefined ? result : this.keepSecret(result, result.issued);
  }

  /** Waits until the output has left the process. If the output fails, saves the result. */
  async delivered(signal: AbortSignal): Promise<void> {
    const { screen } = this.execution;
    if (this.taken !== undefined && !(await hasLeft(this.execution, signal))) {
      screen.note(`note: ${await this.save(this.taken)}`);
      const hint = this.taken.failure?.hint;
      // A stop by a closed reader is not reported as an error.
      if (screen.closed.aborted && hint !== undefined) screen.note(`hint: ${hint}`);
    }
    await this.settle();
  }

  /** Saves the result after its output has failed. @returns the error to report */
  async failed(thrown: unknown): Promise<unknown> {
    if (this.taken === undefined) return thrown;
    const sentence = await this.save(this.taken);
    await this.settle();
    if (!(thrown instanceof AisecError)) {
      this.execution.screen.note(`note: ${sentence}`);
      return thrown;
    }
    const message = withoutSecrets(thrown.message, this.taken.issued);
    const hint = thrown.hint === undefined ? sentence : `${sentence} ${thrown.hint}`;
    // Exit code 2 means that nothing was done.
    if (thrown instanceof UsageError) return new PartialError(message, { command: this.name, hint });
    return Object.assign(thrown, { message, hint });
  }

  private async save(result: Result): Promise<string> {
    const { savePrivately } = await files();
    const path = await savePrivately(`${this.name}.json`, `${jsonText(asJson(result), true)}\n`, this.execution);
    const where = path === undefined ? 'its result could not be saved' : `its result is in ${path}`;
    return `${this.name} was ${result.failure === undefined ? '' : 'partly '}carried out; ${where}.`;
  }

  private async settle(): Promise<void> {
    if (this.pending !== undefined) await (await files()).discard(this.pending);
    this.pending = undefined;
  }

  private async keepSecret(result: Result, issued: Issued): Promise<Result> {
    const { format, screen } = this.execution;
    if (this.choice.reveals) return { ...result, readable: revealed(result.readable, issued) };
    const { saveIssued, noteIssued } = await files();
    const path = await saveIssued(issued, this.execution);
    if (isHeld(result, issued, format, this.choice)) {
      this.pending = path;
      return result;
    }
    noteIssued(issued, path, screen);
    return path === undefined ? result : { ...result, readable: pointed(result.readable, issued, path) };
  }
}

/** A war room's context keeps the secret, so here it is only shown. */
const REVEALING: Keeper = {
  take: async (result) =>
    result.issued === undefined ? result : { ...result, readable: revealed(result.readable, result.issued) },
  delivered: async () => undefined,
  failed: async (thrown) => thrown,
};

/** Masks one-time secrets in a message, because a jq expression may raise its input as an error. */
function withoutSecrets(message: string, issued: Issued | undefined): string {
  const record = issued?.record() ?? {};
  return (issued?.names ?? []).reduce((text, name) => text.replaceAll(String(record[name]), MASK), message);
}

function nothingToReveal(name: string): UsageError {
  return new UsageError(`Option --reveal does not apply to ${name}: it returns no one-time secret.`);
}

/** Reports whether the reader has accepted all output; after a stop, waits only a short time. */
async function hasLeft({ screen }: Execution, signal: AbortSignal): Promise<boolean> {
  const flushed = screen.flush().then(
    () => !screen.closed.aborted,
    () => false,
  );
  return Promise.race([flushed, afterStop(signal)]);
}

function afterStop(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => void setTimeout(() => resolve(false), LAST_OUTPUT_MS).unref();
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** Reports whether a format is for people, whose tables mask secrets. */
export function isMasked(format: Format): boolean {
  return format === 'table' || format === 'markdown';
}

/** Reports whether the output contains the secret unmasked. */
export function isHeld({ writes }: Result, { path, names }: Issued, format: Format, choice: Choice): boolean {
  if (isMasked(format) || choice.jq !== undefined) return false;
  const isSelected = choice.selection === undefined || names.every((name) => choice.selection?.includes(name));
  return isSelected && writes.some((write) => write.path === path && write.key !== undefined);
}

/** Returns the tables with the secret itself, because the user asked for it. */
export function revealed(readable: Readable, { names, record }: Issued): Readable {
  const fields = record();
  const values = new Map(names.map((name) => [heading(name), String(fields[name])]));
  return {
    ...readable,
    tables: readable.tables.map((table) => ({
      ...table,
      rows: table.rows.map((row) =>
        row[1] === MASK && values.has(row[0] ?? '') ? [row[0] ?? '', values.get(row[0] ?? '') ?? ''] : row,
      ),
    })),
    notes: noted(readable.notes, names, 'is shown this one time only.'),
  };
}

/** Returns the tables with the secret's file instead, because the context ends with the process. */
export function pointed(readable: Readable, { names }: Issued, path: string): Readable {
  return { ...readable, notes: noted(readable.notes, names, `is returned this one time only: it is in ${path}.`) };
}

function noted(notes: readonly string[], names: readonly string[], state: string): string[] {
  return notes.map((note) => {
    const name = names.find((each) => note.startsWith(`${each} is shown this one time only: `));
    return name === undefined ? note : `${name} ${state}`;
  });
}
