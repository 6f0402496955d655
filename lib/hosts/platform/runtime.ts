/** The ports of the platform: its clock, log and integration context as the runtime wants them. */
import { memoryTokens, newShared } from '../../api/shared.ts';
import type { Clock, Log, TokenStore } from '../../ports.ts';
import { redaction } from '../../redaction/redact.ts';
import { CONTEXT_LIMIT, type Runtime } from '../../runtime.ts';
import type { Settings } from '../../settings/parameters.ts';
import { plainSettings, resolveSettings } from '../../settings/settings.ts';
import { platformTransport } from '../../transport/platform.ts';
import { fileText, platformFiles } from './files.ts';
import { attempt, members, type PlatformGlobals } from './globals.ts';

const ADVICE = {
  settings: 'Set it in the instance settings.',
  time: 'Give it more time with execution-timeout=<seconds>.',
  commands: 'See the commands of the integration.',
};

/** The platform stops a command after five minutes unless told otherwise; an answer should come before that. */
const BUDGET_MS = 285_000;

/** Tells the time, in milliseconds since the epoch. */
export type Now = () => number;

/**
 * The runtime of one command.
 * @param keepTokens false where the platform keeps nothing, as in its connection test
 * @param now the engine's clock
 * @throws ConfigurationError when the instance's settings are wrong
 */
export function platformRuntime(globals: PlatformGlobals, keepTokens: boolean, now: Now): Runtime {
  const { settings } = resolveSettings({ environment: {}, file: plainSettings(members(globals.params)) });
  return {
    settings,
    transport: platformTransport(globals.http, {
      insecure: settings.insecure,
      proxy: settings.proxy,
      textOf: (file) => fileText(globals, file),
    }),
    clock: clockOf(globals, now),
    log: logOf(globals, settings),
    tokens: keepTokens ? tokenStoreOf(globals) : memoryTokens(),
    shared: newShared(),
    budgetMs: BUDGET_MS,
    files: platformFiles(globals),
    contextLimit: CONTEXT_LIMIT,
    dryRun: false,
    advice: ADVICE,
  };
}

/** No request takes longer, so a longer step of the wall clock is one that somebody set. */
const LONGEST_STEP_MS = BUDGET_MS;

/** The engine has a wall clock alone: what it was set by is left out of the elapsed time, and waits count as what they are. */
function clockOf({ wait }: PlatformGlobals, now: Now): Clock {
  let last = now();
  let passed = 0;
  const elapsed = () => {
    const at = now();
    const step = at - last;
    if (step > 0 && step <= LONGEST_STEP_MS) passed += step;
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

// What is logged never decides how a command ends: a line that cannot be written is left out.
function logOf({ log, logDebug }: PlatformGlobals, { client_secret = '', runtime_api_key = '' }: Settings): Log {
  const { fields: masked } = redaction({ secrets: [client_secret, runtime_api_key] });
  const writer =
    (write: ((text: string) => void) | undefined): Log['debug'] =>
    (message, fields = {}) =>
      attempt(() => write?.(`aisec: ${message} ${JSON.stringify(masked(fields))}`));
  return { debug: writer(logDebug), info: writer(logDebug), warn: writer(log ?? logDebug) };
}

/**
 * The integration context outlives one command, but a platform may refuse it at any time: then memory alone must do.
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
