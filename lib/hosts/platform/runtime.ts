/** Adapts the platform's clock, log and integration context to the ports of the runtime. */

import { UsageError } from '../../core/errors.ts';
import { SETTINGS, type SettingName, type Settings } from '../../core/parameters.ts';
import type { Clock, FileEntry, Files, Log, TextWriter, TokenStore } from '../../core/ports.ts';
import { redaction } from '../../core/redaction/redact.ts';
import type { Runtime } from '../../core/runtime.ts';
import { memoryTokens } from '../../core/shared.ts';
import { utf8Length } from '../../core/text/utf8.ts';
import { textReader } from '../../runtime/bulk/lines.ts';
import { runtimeOf } from '../../runtime/engine/command-runtime.ts';
import { plainSettings, resolveSettings } from '../../runtime/settings/settings.ts';
import { platformTransport } from '../../runtime/transport/platform.ts';
import { attempt, members, type PlatformGlobals } from './globals.ts';

/** Names a setting as the instance form does. */
const nameOf = (name: SettingName) => SETTINGS[name].display;

const ADVICE = {
  settingName: nameOf,
  settings: 'Set it in the instance settings.',
  time: 'Give it more time with execution-timeout=<seconds>.',
  commands: 'See the commands of the integration.',
};

/** By default the platform stops a command after five minutes; the result must be returned earlier. */
const BUDGET_MS = 285_000;

/** The platform's clock starts before the script is compiled, and its waits are whole seconds. */
const RESERVE_MS = 1000;

/** Returns the time in milliseconds since the epoch. */
export type Now = () => number;

/**
 * Creates the runtime of one command.
 * @param keepTokens false if the platform keeps no context, as in its connection test
 * @param now the engine's clock
 * @throws ConfigurationError for invalid instance settings
 */
export function platformRuntime(globals: PlatformGlobals, keepTokens: boolean, now: Now): Runtime {
  const { settings } = resolveSettings({ environment: {}, file: plainSettings(members(globals.params)), nameOf });
  return runtimeOf({
    settings,
    transport: platformTransport(globals.http, {
      insecure: settings.insecure,
      proxy: settings.proxy,
      textOf: (file) => fileText(globals, file),
    }),
    clock: clockOf(globals, now),
    log: logOf(globals, settings),
    ...(keepTokens ? { tokens: tokenStoreOf(globals) } : {}),
    budgetMs: BUDGET_MS,
    reserveMs: RESERVE_MS,
    files: platformFiles(globals),
    advice: ADVICE,
  });
}

/** No request takes longer, so a larger jump of the wall clock is a clock change. */
const MAX_STEP_MS = BUDGET_MS;

/** Creates a clock. The engine has only a wall clock: clock changes do not count as elapsed time, and waits count in full. */
function clockOf({ wait }: PlatformGlobals, now: Now): Clock {
  let last = now();
  let passed = 0;
  const elapsed = () => {
    const at = now();
    const step = at - last;
    if (step > 0 && step <= MAX_STEP_MS) passed += step;
    last = at;
    return passed;
  };
  return {
    now,
    elapsed,
    random: () => Math.random(),
    async wait(milliseconds) {
      if (milliseconds <= 0 || wait === undefined) return;
      const seconds = Math.ceil(milliseconds / 1000);
      elapsed();
      wait(seconds);
      last = now();
      passed += seconds * 1000;
    },
  };
}

// A failing log call must not fail the command.
function logOf({ log, logDebug }: PlatformGlobals, { client_secret = '', runtime_api_key = '' }: Settings): Log {
  const { fields: masked } = redaction({ secrets: [client_secret, runtime_api_key] });
  const writer =
    (write: ((text: string) => void) | undefined): Log['debug'] =>
    (message, fields = {}) =>
      attempt(() => write?.(`aisec: ${message} ${JSON.stringify(masked(fields))}`));
  return { debug: writer(logDebug), info: writer(logDebug), warn: writer(log ?? logDebug) };
}

/**
 * Stores tokens in the integration context, which outlives a command; if the platform refuses it, memory is used.
 */
function tokenStoreOf({ getIntegrationContext, setIntegrationContext }: PlatformGlobals): TokenStore {
  const own = memoryTokens();
  return {
    read: () => own.read() ?? attempt(() => texts(getIntegrationContext?.())),
    write: (entry) => {
      own.write(entry);
      attempt(() => setIntegrationContext?.({ ...entry }));
    },
  };
}

function texts(value: unknown): Record<string, string> | undefined {
  const found = Object.entries(members(value)).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/**
 * Reads the text of a file entry.
 * @throws UsageError if there is no such entry, or it is not UTF-8 text
 */
export function fileText({ getFileByEntryID }: PlatformGlobals, { entry }: FileEntry): string {
  const text = attempt(() => getFileByEntryID?.(entry));
  if (typeof text === 'string') return decoded(entry, text);
  throw new UsageError(`There is no file entry ${entry}, or it holds no text.`, {
    hint: 'Give the entry id of an uploaded file.',
  });
}

/** The platform replaces invalid UTF-8 by this character, so the bytes are lost. */
const REPLACEMENT = '\ufffd';

function decoded(entry: string, text: string): string {
  const at = text.indexOf(REPLACEMENT);
  if (at < 0) return text;
  const line = text.slice(0, at).split('\n').length;
  throw new UsageError(`The file entry ${entry} is not UTF-8 text: line ${line} has bytes that cannot be read.`, {
    hint: 'Save it as UTF-8 and upload it again.',
  });
}

/** Creates the file port of one command. */
export function platformFiles(globals: PlatformGlobals): Files {
  return {
    find: async (entry) => ({ entry, name: entry, size: undefined }),
    read: async (file) => textReader(fileText(globals, file)),
    create: async (name, contentType) => writer(globals.saveFile, name, contentType),
    journal: async (_, resume) => {
      if (!resume) return undefined;
      throw new UsageError('The platform keeps no state of a stopped run, so it cannot be resumed here.', {
        hint: 'Omit resume to start over.',
      });
    },
  };
}

function writer(save: PlatformGlobals['saveFile'], name: string, contentType: string): TextWriter {
  const pieces: string[] = [];
  return {
    write: async (text) => {
      pieces.push(text);
    },
    close: async () => {
      const text = pieces.join('');
      const entry = attempt(() => save?.(text));
      if (typeof entry !== 'string') throw new UsageError(`The platform did not save the file ${name}.`);
      return { entry, name, size: utf8Length(text), contentType };
    },
  };
}
