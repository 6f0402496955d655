/** Runs one command for an agent, and writes its result and progress in the protocol's format. */
import type { HandlerResultTypeMap, Resource } from '@modelcontextprotocol/server';
import type { CommandResult } from '../../client/result.ts';
import { type AisecError, ConfigurationError, RefusedError, toAisecError, UsageError } from '../../core/errors.ts';
import type { Command } from '../../runtime/engine/command.ts';
import type { Agent, Later } from './agent.ts';
import { fenced, inert, plain, plainValue, shortenedResult } from './content.ts';

/** Time for a command that waits for a job, in milliseconds; other commands have the library's default. */
const JOB_MS = 3_600_000;

const MAX_ERROR_BYTES = 8000;

/** The part of a request that a call needs. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Sends a progress notification; absent if the client wants no progress. */
  readonly progress?: (message: string, progress: number) => Promise<unknown>;
}

export interface CallRequest {
  readonly command: Command;
  readonly args: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
}

/** A result, or a question to the person. */
export type ToolResult = HandlerResultTypeMap['tools/call'];

/** Runs a command. Every failure is returned as a result, because agents act on results. */
export async function runForAgent(
  agent: Agent,
  { command, args, dryRun }: CallRequest,
  { signal, progress }: CallContext,
): Promise<ToolResult> {
  const shown = progress === undefined ? undefined : throttled(progress, agent.later);
  try {
    const result = await agent.client.call(command.name, args, {
      command,
      signal,
      dryRun,
      ...(shown === undefined ? {} : { onProgress: (line: string) => shown.say(plain(line)) }),
      ...(args['wait'] === undefined ? {} : { timeoutMs: JOB_MS }),
    });
    return resultOf(agent, result);
  } catch (thrown) {
    return errorResult(toAisecError(thrown), quotesOthers(command, args));
  } finally {
    await shown?.end();
  }
}

function resultOf(agent: Agent, result: CommandResult): ToolResult {
  const { truncated, failure, readable } = result;
  const all = [...result.files, ...(truncated?.file === undefined ? [] : [truncated.file])];
  // The other files may include the full text of a cut result.
  const files = [...new Map(all.map((file) => [file.entry, file])).values()].map((file) => agent.files.add(file));
  const rest =
    files.length === 0 ? 'Ask for less with limit, or read structuredContent.' : 'The files below have all of it.';
  return {
    content: [
      { type: 'text', text: fenced(shortenedResult(plain(readable), rest)) },
      ...(failure === undefined ? [] : [{ type: 'text' as const, text: sentenceOf(failure, true) }]),
      ...files.map(({ uri, name, mimeType }) => ({ type: 'resource_link' as const, uri, name, mimeType })),
    ],
    structuredContent: structuredContent(result, files),
    ...(failure === undefined ? {} : { isError: true }),
  };
}

function structuredContent(result: CommandResult, files: readonly Resource[]): Record<string, unknown> {
  const { outputs, notes, simulated, planned, truncated, failure, raw } = result;
  const { file: _file, ...cut } = truncated ?? {};
  return plainValue({
    ...{ outputs, notes, files, simulated },
    ...(planned ? { planned, request: raw } : {}),
    ...(truncated === undefined ? {} : { truncated: cut }),
    ...(failure === undefined ? {} : { error: failure.toJSON() }),
  }) as Record<string, unknown>;
}

/** Reports whether a command reads a file that its errors may quote: the author of the file is unknown. */
function quotesOthers({ args: declared }: Command, args: CallRequest['args']): boolean {
  return Object.keys(args).some((name) => Object.hasOwn(declared, name) && declared[name]?.kind === 'file');
}

/** Writes an error as a result that an agent can act on. @param foreign whether any error may quote third parties */
export function errorResult(error: AisecError, foreign = false): ToolResult {
  return {
    content: [{ type: 'text', text: sentenceOf(error, foreign) }],
    structuredContent: plainValue({ error: error.toJSON() }) as Record<string, unknown>,
    isError: true,
  };
}

/** Fences an error that may quote the service; a usage error quotes only the agent's own words. */
function sentenceOf(error: AisecError, foreign: boolean): string {
  const isOwn =
    (error instanceof UsageError && !(error instanceof RefusedError)) || error instanceof ConfigurationError;
  const { message, hint } = error;
  const text = shortenedResult(inert(plain(message)), 'The rest is omitted.', MAX_ERROR_BYTES);
  const shown = isOwn && !foreign ? text : fenced(text);
  return hint === undefined ? shown : `${shown}\n${shortenedResult(inert(plain(hint)), '', MAX_ERROR_BYTES)}`;
}

/** Time between two notifications, in milliseconds. */
export const PAUSE_MS = 500;

/**
 * Throttles notifications.
 * @param send writes a notification; `progress` counts them, because the protocol requires an increasing number
 */
export function throttled(send: (message: string, progress: number) => Promise<unknown>, later: Later = byTimer) {
  let waiting: string | undefined;
  let cancel: (() => void) | undefined;
  let count = 0;
  let sending: Promise<unknown> = Promise.resolve();
  const flush = () => {
    cancel = undefined;
    if (waiting === undefined) return;
    const message = waiting;
    waiting = undefined;
    count += 1;
    const progress = count;
    sending = sending.then(() => send(message, progress)).catch(() => undefined);
    cancel = later(PAUSE_MS, flush);
  };
  return {
    /** Sends a line; within half a second, only the last line is sent. */
    say(line: string): void {
      waiting = line;
      if (cancel === undefined) flush();
    },
    /** Waits until all sent lines are written. A throttled line is dropped, because the result follows. */
    async end(): Promise<void> {
      cancel?.();
      await sending;
      // Some clients lose a notification that arrives in the same read as the result.
      if (count > 0) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function byTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
