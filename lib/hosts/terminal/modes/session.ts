/** State of one program run: settings, connection, access token, context. */
import { openProgram, type ProgramOptions } from '../../../client/program.ts';
import type { Transport } from '../../../core/ports.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { stopped, untilStopped } from '../../../core/stop.ts';
import { lazyFiles } from '../../../node/files/lazy-files.ts';
import { namedProfile } from '../../../node/settings/location.ts';
import { stopOf } from '../../../node/stop.ts';
import type { ContextWrite } from '../../../output/result.ts';
import type { TerminalHost } from '../host.ts';
import { withInput } from '../input/files.ts';
import { type StandardInput, standardInput } from '../input/standard-input.ts';
import type { Options } from '../options/cli-options.ts';
import { type Configuration, readConfiguration } from '../options/configuration.ts';
import { queueAddress } from '../options/queue-address.ts';
import { secretSource } from '../options/secret-source.ts';
import type { Screen } from '../render/screen.ts';

export interface Session {
  readonly configuration: Configuration;
  readonly input: StandardInput;
  context(): Readonly<Record<string, unknown>>;
  /** Merges the outputs of a command into the context. */
  keep(writes: readonly ContextWrite[]): Promise<void>;
  /** Creates the runtime of one command. @param signal stops the command @param dryRun default: the option */
  runtime(signal: AbortSignal, dryRun?: boolean): Promise<Runtime>;
  /** Closes the connection and flushes the log. */
  close(): Promise<void>;
}

const ADVICE = {
  settings: 'Run aisec init, set it in the environment or the settings file, or rehearse with --simulate.',
  time: 'Give it more time with --timeout, or execution-timeout in the war room.',
  commands: 'See all with: aisec commands',
};

interface Opening {
  /** Settings to use in place of those of options, environment and file. */
  readonly configuration?: Configuration;
  /** Ends the wait for a settings file that is a named pipe, and for standard input. */
  readonly signal?: AbortSignal | undefined;
  /** Default: its own standard input. */
  readonly input?: StandardInput | undefined;
}

/**
 * Opens a session. Modules that the first command does not need are not loaded.
 */
export async function openSession(
  host: TerminalHost,
  options: Options,
  screen: Screen,
  { configuration: override, signal, input = standardInput(host.stdin) }: Opening = {},
): Promise<Session> {
  const configuration = override ?? (await readConfiguration(host, options, signal));
  const { files: ofMachine, keep } = lazyFiles(options.filesDirectory ?? '.');
  const { files, remove } = withInput(ofMachine, { input, signal });
  const program = await connect(host, options, screen, configuration, { files, keep });
  screen.redact(program.secrets);
  if (!options.quiet) for (const warning of configuration.warnings) screen.note(`warning: ${warning}`);
  let context: Readonly<Record<string, unknown>> = {};
  // A requested directory is checked at once; the working directory only by commands that write files.
  if (options.filesDirectory !== undefined) await files.checkWritable?.();
  return {
    configuration,
    input,
    context: () => context,
    keep: async (writes) => {
      const { mergeContext } = await import('../../../output/merge.ts');
      context = mergeContext(context, writes);
    },
    runtime: (signal, dryRun = options.dryRun) => {
      const since = performance.now();
      const progress = options.quiet ? {} : { progress: (line: string) => screen.progress(line, since) };
      const secrets = secretSource(host.environment, signal);
      return program.runtime(stopOf(signal), { dryRun, context, secretSource: secrets, ...progress });
    },
    close: async () => {
      await remove();
      await program.close();
    },
  };
}

/** Connects to the service, or to the simulated one. */
function connect(
  host: TerminalHost,
  options: Options,
  screen: Screen,
  configuration: Configuration,
  files: ProgramOptions['files'],
) {
  const { environment } = host;
  const { timeoutSeconds, contextLimit, config: path, profile, simulate: simulates } = options;
  const address = queueAddress(options, environment);
  const identity = {
    profile: namedProfile({ path, profile, environment }) ?? '',
    settings: configuration.settings,
    simulates,
  };
  return openProgram({
    configuration,
    simulation: configuration.simulation,
    environment,
    files,
    log: {
      level: options.logLevel ?? (options.quiet ? 'silent' : 'warn'),
      stream: host.stderr,
      showContent: options.logContent,
    },
    advice: ADVICE,
    queue: address === undefined ? undefined : host.queue?.(address, identity),
    budgetMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
    contextLimit,
    warn: (message) => screen.note(`warning: ${message}`),
    wrap: (transport) => paced(transport, screen),
  });
}

/** Session of a subcommand: its own, or that of a war room. */
interface SessionContext {
  readonly host: TerminalHost;
  readonly options: Options;
  readonly screen: Screen;
  readonly session?: Session | undefined;
  readonly signal?: AbortSignal;
  readonly input: StandardInput;
}

/** Returns the session of the war room that runs the subcommand, which stays open, or opens one. */
export async function sessionOf({ host, options, screen, session, signal, input }: SessionContext): Promise<Session> {
  return session === undefined
    ? openSession(host, options, screen, { signal, input })
    : { ...session, close: async () => undefined };
}

// Backpressure: a slow reader of streamed records delays the next request, so memory stays small.
function paced(transport: Transport, screen: Screen): Transport {
  let waiting: Promise<void> | undefined;
  return {
    send: async (request) => {
      // Requests share one wait, because a stream warns about many listeners.
      waiting ??= screen.ready().finally(() => {
        waiting = undefined;
      });
      await untilStopped(waiting, request.stop);
      if (request.stop?.stopped === true) throw stopped();
      return transport.send(request);
    },
  };
}
