/** The platform host: runs one command from the engine's globals and returns its entries. */

import { type AisecError, toAisecError, UnexpectedError } from '../../core/errors.ts';
import { objectOf } from '../../core/json.ts';
import type { SavedFile } from '../../core/ports.ts';
import { redaction } from '../../core/redaction/redact.ts';
import type { Checkpoint, Runtime } from '../../core/runtime.ts';
import { PLATFORM_ONLY } from '../../runtime/arguments/generic.ts';
import type { Invocation } from '../../runtime/arguments/lexer.ts';
import { firstFailure, runChecks, summaryOf } from '../../runtime/engine/checks.ts';
import type { Registry } from '../../runtime/engine/command.ts';
import { dispatch } from '../../runtime/engine/dispatch.ts';
import { entryOf, errorEntry, errorText, type PlatformEntry, warningEntry } from '../../runtime/output/entry.ts';
import { CHECKPOINT_ARGUMENT, checkpointIn, pollingKeys } from '../../runtime/output/polling.ts';
import type { Result } from '../../runtime/output/result.ts';
import { attempt, members, type PlatformGlobals } from './globals.ts';
import { checkFetch, FETCH, fetchIncidents } from './incidents/fetch.ts';
import { type Now, platformRuntime } from './runtime.ts';

/** A file in the war room; the platform itself writes its name, id and size into the context. */
export interface PlatformFileEntry extends PlatformEntry {
  File: string;
  FileID: string;
}

/** Return value of a script: the text of the connection test or of incidents, one entry, or several. */
export type PlatformAnswer = string | PlatformEntry | PlatformEntry[];

const FILE = 3;
const INFO_FILE = 9;
const INFO_PATH = 'InfoFile';

/**
 * Runs the requested command. A failed command returns an error entry, without a stack.
 * @param now the engine's clock
 * @returns entries, or for the connection test `ok` or a failure message
 */
export async function runOnPlatform(
  globals: PlatformGlobals,
  registry: Registry,
  now: Now = () => Date.now(),
): Promise<PlatformAnswer> {
  if (globals.command === 'test-module') return testConnection(globals, registry, now);
  // The platform expects incidents as a string, and reports a thrown error as its own.
  if (globals.command === FETCH) {
    return fetchIncidents(globals, registry, now).catch((thrown: unknown) => {
      throw new Error(errorText(failureOf(thrown, globals)));
    });
  }
  try {
    const args = members(globals.args);
    const runtime = sliced(platformRuntime(globals, true, now), checkpointIn(args));
    const result = await dispatch(invocationOf(globals.command, args), registry, runtime);
    const warnings = result.warnings.map(warningEntry);
    const failures = result.failure === undefined ? [] : [errorEntry(failureOf(result.failure, globals))];
    // The result comes first, because scripts that call a command read the first entry.
    const polling = result.suspension === undefined ? {} : pollingKeys(globals.command, args, result.suspension);
    const entries = [
      { ...(result.suspension?.hasNewProgress === false ? SILENT : entryOf(platformResult(result))), ...polling },
      ...result.files.map((file) => fileEntry(file, fileType(result))),
      ...warnings,
      ...failures,
    ];
    return entries.length === 1 ? (entries[0] ?? entries) : entries;
  } catch (thrown) {
    return errorEntry(failureOf(thrown, globals));
  }
}

/**
 * Tests each plane with the instance's settings, and logs the outcomes.
 * @returns `ok`, or a failure message: the platform treats any other text as a failure. Errors are returned, because
 * the engine would append a script position to a thrown text.
 */
async function testConnection(globals: PlatformGlobals, registry: Registry, now: Now): Promise<string> {
  try {
    // The platform keeps no integration context while an instance is tested.
    const runtime = platformRuntime(globals, false, now);
    const outcomes = await runChecks(runtime);
    const reach = summaryOf(outcomes);
    runtime.log.info('connection test', { reach });
    const failure = firstFailure(outcomes);
    if (failure === undefined && String(globals.params['isFetch']) === 'true')
      await checkFetch(globals, registry, runtime);
    return failure === undefined ? 'ok' : `${errorText(failureOf(failure, globals))}\n${reach}`;
  } catch (thrown) {
    return errorText(failureOf(thrown, globals));
  }
}

/** Time slice of one run; the next run continues the job. */
const SLICE_MS = 60_000;

/** Part of the time limit that is reserved for the last request and for the output of all rows. */
const LAST_MS = 30_000;

function sliced(runtime: Runtime, checkpoint: Checkpoint | undefined): Runtime {
  const before = checkpoint?.elapsed ?? 0;
  const clock = { ...runtime.clock, elapsed: () => before + runtime.clock.elapsed() };
  const now = clock.elapsed();
  const limits = { deadline: now + SLICE_MS, lastDeadline: now + runtime.budgetMs - LAST_MS };
  return { ...runtime, clock, timeSlice: checkpoint === undefined ? limits : { ...limits, checkpoint } };
}

/** An entry that only schedules the next run, without text or context. */
const SILENT: PlatformEntry = { Type: 1, ContentsFormat: 'text', Contents: '' };

function platformResult(result: Result): Result {
  const { entry, ...raw } = objectOf(result.raw);
  const isFile = result.files.some((file) => file.entry === entry);
  return {
    ...result,
    // The platform writes this path itself from the file entry; a second record would be a duplicate.
    writes: result.writes.filter(({ path }) => path !== INFO_PATH),
    // The platform assigns the id of an entry, so the raw result names the file's id.
    ...(isFile ? { raw: { ...raw, file_id: entry } } : {}),
  };
}

/** Selects the entry type of files: only a command that declares `InfoFile` fills it. */
function fileType({ writes }: Result): number {
  return writes.some(({ path }) => path === INFO_PATH) ? INFO_FILE : FILE;
}

function fileEntry({ entry, name }: SavedFile, type: number): PlatformFileEntry {
  return { Type: type, ContentsFormat: 'text', Contents: '', File: name, FileID: entry };
}

function invocationOf(name: string, args: Readonly<Record<string, unknown>>): Invocation {
  const reserved = [CHECKPOINT_ARGUMENT, ...PLATFORM_ONLY];
  const own = Object.entries(args).filter(([argument]) => reserved.indexOf(argument) < 0);
  return { name, pairs: own.map(([argument, value]) => ({ name: argument, value })), positionals: [] };
}

const HINT = 'This is a bug in the integration: report it with the debug log of the instance.';

/** Converts a thrown value to an error; the stack of a bug goes to the debug log. */
function failureOf(thrown: unknown, globals: PlatformGlobals): AisecError {
  const { text } = redaction({ secrets: attempt(() => secretsIn(globals)) ?? [] });
  const error = toAisecError(thrown, text);
  if (!(error instanceof UnexpectedError)) return error;
  const { message, frames, command } = error;
  attempt(() => globals.logDebug?.(text(`aisec: ${[message, ...frames].join('\n')}`)));
  return new UnexpectedError(message, [], { hint: HINT, command });
}

/** Reads secrets from the parameters: credentials are objects with a password, or a plain password. */
function secretsIn({ params }: PlatformGlobals): string[] {
  const credentials = [params['credentials'], params['client_secret'], params['runtime_api_key']];
  const texts = credentials.map((value) => (typeof value === 'string' ? value : members(value)['password']));
  return texts.filter((value): value is string => typeof value === 'string');
}
