/** The platform host: one command of the instance, from the engine's globals to the entries it returns. */
import { PLATFORM_ONLY } from '../../arguments/generic.ts';
import type { Invocation } from '../../arguments/lexer.ts';
import type { Registry } from '../../command.ts';
import { dispatch } from '../../dispatch.ts';
import { objectOf } from '../../json.ts';
import { entryOf, errorEntry, type PlatformEntry, warningEntry } from '../../output/entry.ts';
import { pollingKeys, STANDING_ARGUMENT, standingIn } from '../../output/polling.ts';
import type { SavedFile } from '../../ports.ts';
import type { Result } from '../../result.ts';
import type { Runtime, Standing } from '../../runtime.ts';
import { testConnection } from './connection-test.ts';
import { failureOf } from './failure.ts';
import { members, type PlatformGlobals } from './globals.ts';
import { type Now, platformRuntime } from './runtime.ts';

/** A file in the war room; the platform itself writes its name, id and size into the context. */
export interface PlatformFileEntry extends PlatformEntry {
  File: string;
  FileID: string;
}

/** What a script returns to the platform: the text of the connection test, one entry, or several. */
export type PlatformAnswer = string | PlatformEntry | PlatformEntry[];

const FILE = 3;
const INFO_FILE = 9;
const INFO_PATH = 'InfoFile';

/**
 * Runs the command that the platform asked for. A failed command is an error entry, without a stack.
 * @param now the engine's clock
 * @returns of the connection test, `ok` or what is wrong
 */
export async function runOnPlatform(
  globals: PlatformGlobals,
  registry: Registry,
  now: Now = () => Date.now(),
): Promise<PlatformAnswer> {
  if (globals.command === 'test-module') return testConnection(globals, now);
  try {
    const args = members(globals.args);
    const runtime = sliced(platformRuntime(globals, true, now), standingIn(args));
    const result = await dispatch(invocationOf(globals.command, args), registry, runtime);
    const warnings = result.warnings.map(warningEntry);
    const failures = result.failure === undefined ? [] : [errorEntry(failureOf(result.failure, globals))];
    // First the result: callers of one command out of another look at the first entry.
    const polling = result.pause === undefined ? {} : pollingKeys(globals.command, args, result.pause);
    const entries = [
      { ...(result.pause?.isNews === false ? SILENT : entryOf(ours(result))), ...polling },
      ...result.files.map((file) => fileEntry(file, filePath(result))),
      ...warnings,
      ...failures,
    ];
    return entries.length === 1 ? (entries[0] ?? entries) : entries;
  } catch (thrown) {
    return errorEntry(failureOf(thrown, globals));
  }
}

/** One run works for a minute at most, and goes on in the next. */
const SLICE_MS = 60_000;

function sliced(runtime: Runtime, standing: Standing | undefined): Runtime {
  if (standing === undefined) return { ...runtime, slice: { until: runtime.clock.elapsed() + SLICE_MS } };
  const clock = { ...runtime.clock, elapsed: () => standing.elapsed + runtime.clock.elapsed() };
  return { ...runtime, clock, slice: { until: clock.elapsed() + SLICE_MS, standing } };
}

/** Brings the platform back, shows nothing, and leaves nothing. */
const SILENT: PlatformEntry = { Type: 1, ContentsFormat: 'text', Contents: '' };

function ours(result: Result): Result {
  const { entry, ...raw } = objectOf(result.raw);
  const isFile = result.files.some((file) => file.entry === entry);
  return {
    ...result,
    // The platform writes this path itself, from the entry of the file; ours would be a second record of it.
    writes: result.writes.filter(({ path }) => path !== INFO_PATH),
    // The id of an entry is not known before the platform has made it.
    ...(isFile ? { raw: { ...raw, file_id: entry } } : {}),
  };
}

/** Where the platform is to keep the files of a result: only a command that says so fills `InfoFile`. */
function filePath({ writes }: Result): number {
  return writes.some(({ path }) => path === INFO_PATH) ? INFO_FILE : FILE;
}

function fileEntry({ entry, name }: SavedFile, type: number): PlatformFileEntry {
  return { Type: type, ContentsFormat: 'text', Contents: '', File: name, FileID: entry };
}

function invocationOf(name: string, args: Readonly<Record<string, unknown>>): Invocation {
  const theirs = [STANDING_ARGUMENT, ...PLATFORM_ONLY];
  const own = Object.entries(args).filter(([argument]) => theirs.indexOf(argument) < 0);
  return { name, pairs: own.map(([argument, value]) => ({ name: argument, value })), positionals: [] };
}
