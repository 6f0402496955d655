/** Runs one command for an agent, and writes its result as the protocol wants it. */
import { suggest } from '../../arguments/suggest.ts';
import { allows, changesNothing } from '../../client/allow.ts';
import type { CommandResult } from '../../client/result.ts';
import { type Command, findCommand } from '../../engine/command.ts';
import {
  type AisecError,
  ConfigurationError,
  NotAllowedError,
  RefusedError,
  toAisecError,
  UsageError,
} from '../../engine/errors.ts';
import { isObject } from '../../engine/json.ts';
import type { Agent } from './agent.ts';
import { fenced, inert, plain, plainValue, shortened } from './content.ts';
import { throttled } from './progress.ts';
import { search } from './search/search.ts';

/** Time for a command that waits for a job, in milliseconds; every other has that of the library. */
const JOB_MS = 3_600_000;

const MAX_ERROR_BYTES = 8000;

/** An unknown name gets this many near ones. */
const MAX_NEAR = 3;

/** The part of a request that a call needs. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Sends a progress notification; absent if the client wants none. */
  readonly progress?: (message: string, progress: number) => Promise<unknown>;
}

export interface CallRequest {
  readonly command: Command;
  readonly args: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
}

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType: string };

export interface ToolResult {
  readonly content: readonly Content[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  /** Members of later versions of the protocol. */
  readonly [name: string]: unknown;
}

/** Finds a command that the agent may run. @throws UsageError for an unknown one, NotAllowedError for one out of reach */
export async function reachable(agent: Agent, name: string): Promise<Command> {
  const { registry, selection } = agent;
  const word = name.trim().replace(/^!/, '');
  const command = await findCommand(registry, word);
  if (command === undefined) {
    throw new UsageError(`There is no command "${plain(word).slice(0, 60)}".`, { hint: await nearNames(agent, word) });
  }
  if (allows(selection.allow, command)) return command;
  const isClosed = selection.allow.readOnly === true && !changesNothing(command);
  throw new NotAllowedError(`${command.name} is switched off on this server.`, {
    command: command.name,
    hint: isClosed
      ? 'The server was started with --read-only: nothing in the tenant can be changed.'
      : 'Ask the person who started the server: --toolsets and --tools decide.',
  });
}

/** Names commands within reach that are spelled like a word, or that do what it says. */
async function nearNames({ catalogue, selection }: Agent, word: string): Promise<string> {
  const within = (await catalogue()).filter((info) => allows(selection.allow, info));
  const spelled = suggest(
    word,
    within.map(({ name }) => name),
  );
  const meant = search(word, within).map(({ name }) => name);
  const near = [...new Set([...(spelled === undefined ? [] : [spelled]), ...meant])].slice(0, MAX_NEAR);
  if (near.length === 0) return 'Find a command with aisec_search.';
  return `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}? Or find another with aisec_search.`;
}

/** Reads arguments; some clients pass them as JSON text. @throws UsageError if they are no object */
export function argumentsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : undefined;
    if (isObject(parsed)) return parsed;
  } catch {
    // Not JSON: the error below says what is wanted.
  }
  throw new UsageError('The arguments are not an object.', { hint: 'Pass them as {"name": value}.' });
}

/** Runs a command. Every failure is a result, because agents act on results. */
export async function runCommand(
  agent: Agent,
  { command, args, dryRun }: CallRequest,
  { signal, progress }: CallContext,
): Promise<ToolResult> {
  const shown = progress === undefined ? undefined : throttled(progress, agent.later);
  try {
    const result = await agent.client.call(command.name, args, {
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
  const { outputs, notes, simulated, planned, truncated, failure, readable } = result;
  const all = [...result.files, ...(truncated?.file === undefined ? [] : [truncated.file])];
  // The file of a cut result may be among the others.
  const files = [...new Map(all.map((file) => [file.entry, file])).values()].map((file) => agent.files.add(file));
  const rest =
    files.length === 0 ? 'Ask for less with limit, or read structuredContent.' : 'The files below have all of it.';
  return {
    content: [
      { type: 'text', text: fenced(shortened(plain(readable), rest)) },
      ...(failure === undefined ? [] : [{ type: 'text' as const, text: sentenceOf(failure, true) }]),
      ...files.map(({ uri, name, mimeType }) => ({ type: 'resource_link' as const, uri, name, mimeType })),
    ],
    structuredContent: plainValue({
      outputs,
      notes,
      files,
      simulated,
      ...(planned ? { planned, request: result.raw } : {}),
      ...(truncated === undefined
        ? {}
        : { truncated: { kept: truncated.kept, total: truncated.total, note: truncated.note } }),
      ...(failure === undefined ? {} : { error: failure.toJSON() }),
    }) as Record<string, unknown>,
    ...(failure === undefined ? {} : { isError: true }),
  };
}

/** Tells whether a command reads a file, which its errors may quote: the file may be from the service, or from anybody. */
function quotesOthers({ args: declared }: Command, args: CallRequest['args']): boolean {
  return Object.keys(args).some((name) => Object.hasOwn(declared, name) && declared[name]?.kind === 'file');
}

/** Writes an error as a result that an agent can act on. @param foreign whether it may quote others in any case */
export function errorResult(error: AisecError, foreign = false): ToolResult {
  return {
    content: [{ type: 'text', text: sentenceOf(error, foreign) }],
    structuredContent: plainValue({ error: error.toJSON() }) as Record<string, unknown>,
    isError: true,
  };
}

/** Fences what an error quotes of the service; those that refuse a line quote the agent's own words. */
function sentenceOf(error: AisecError, foreign: boolean): string {
  const isOwn =
    (error instanceof UsageError && !(error instanceof RefusedError)) || error instanceof ConfigurationError;
  const { message, hint } = error;
  const text = shortened(inert(plain(message)), 'The rest says no more.', MAX_ERROR_BYTES);
  const shown = isOwn && !foreign ? text : fenced(text);
  return hint === undefined ? shown : `${shown}\n${shortened(inert(plain(hint)), '', MAX_ERROR_BYTES)}`;
}
