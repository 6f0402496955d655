/** State of one program run: settings, connection, access token, context. */
import { openProgram, type ProgramOptions } from '../../../client/program.ts';
import type { Transport } from '../../../core/ports.ts';
import type { ShowProgress } from '../../../core/progress.ts';
import { CONTEXT_LIMIT } from '../../../core/runtime.ts';
import { stopped, untilStopped } from '../../../core/stop.ts';
import { lazyFiles } from '../../../node/files/lazy-files.ts';
import { namedProfile } from '../../../node/settings/location.ts';
import { stopOf } from '../../../node/system/stop.ts';
import type { GrowingContext } from '../../../runtime/output/merge.ts';
import type { ContextWrite } from '../../../runtime/output/result.ts';
import type { TerminalHost } from '../ui/host.ts';
import type { Screen } from '../ui/screen.ts';
import type { Options } from './cli-options.ts';
import { type Configuration, chosenQueue, configurationOf, secretSource } from './configuration.ts';
import type { RoomScan } from './room-scans.ts';
import { type StandardInput, withInput } from './standard-input.ts';

const ADVICE = {
  settings: 'Run aisec init, set it in the environment or the settings file, or rehearse with --simulate.',
  time: 'Give it more time with --timeout, or execution-timeout in the war room.',
  commands: 'See all with: aisec commands',
};

/** The context has space for this many commands, each with output of the maximum size. */
const COMMANDS_KEPT = 100;
/** Maximum number of scans in the list of last scans. */
const MAX_SCANS = 1000;

/** Options of a session. */
interface Opening {
  readonly host: TerminalHost;
  readonly options: Options;
  readonly screen: Screen;
  /** Standard input, for its only reader. */
  readonly input: StandardInput;
  /** Ends the wait for a settings file that is a named pipe, and for standard input. */
  readonly signal?: AbortSignal | undefined;
}

export type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * Opens a session. Loads no modules that the first command does not need. @param settled settings to use instead of
 * options, environment and file
 */
export async function openSession(opening: Opening, settled?: Configuration) {
  const { host, options, screen, input, signal: ending } = opening;
  const configuration = settled ?? (await configurationOf(host, options, ending));
  const { files: ofMachine, keep } = lazyFiles(options.filesDirectory ?? '.');
  const { files, remove } = withInput(ofMachine, { input, signal: ending });
  const program = await connect(opening, configuration, { files, keep });
  screen.redact(program.secrets);
  if (!options.quiet) for (const warning of configuration.warnings) screen.note(`warning: ${warning}`);
  let room: GrowingContext | undefined;
  const context = () => room?.value ?? {};
  let scans: readonly RoomScan[] = [];
  // Check a requested directory at once; commands that write files check the working directory.
  if (options.filesDirectory !== undefined) await files.checkWritable?.();
  return {
    configuration,
    input,
    context,
    /** Throws if the context is full. @throws PreconditionError */
    checkRoom: () => room?.checkRoom(),
    /** The last scans, in order. */
    scans: () => scans,
    /** Merges the outputs of a command into the context. */
    keep: async (writes: readonly ContextWrite[]) => {
      const [{ GrowingContext }, { scansIn }] = await Promise.all([
        import('../../../runtime/output/merge.ts'),
        import('./room-scans.ts'),
      ]);
      room ??= new GrowingContext({}, Math.max(CONTEXT_LIMIT, COMMANDS_KEPT * (options.contextLimit ?? CONTEXT_LIMIT)));
      room.add(writes);
      scans = [...scans, ...scansIn(writes, Date.now())].slice(-MAX_SCANS);
    },
    /** Creates the runtime of one command. @param signal stops the command @param dryRun default: the option */
    runtime: (signal: AbortSignal, dryRun = options.dryRun) => {
      const since = performance.now();
      const show: ShowProgress = (line, amount) => screen.progress(line, since, amount);
      const progress = options.quiet ? {} : { progress: show };
      const secrets = secretSource(host.environment, signal);
      return program.runtime(stopOf(signal), { dryRun, context: context(), secretSource: secrets, ...progress });
    },
    /** Shows that a command is working. @returns a function that ends the display */
    working: (name: string) => (options.quiet ? () => undefined : screen.working(name)),
    /** Closes the connection and flushes the log. */
    close: async () => {
      await remove();
      await program.close();
    },
  };
}

/** Connects to the service, or to the simulated one. */
function connect({ host, options, screen }: Opening, configuration: Configuration, files: ProgramOptions['files']) {
  const { environment } = host;
  const { timeoutSeconds, contextLimit, config: path, profile, simulate: simulates } = options;
  const address = chosenQueue(options, environment);
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

/** Returns the session of the war room that runs the subcommand, which stays open, or opens a new session. */
export async function sessionOf(cli: Opening & { readonly session?: Session }): Promise<Session> {
  return cli.session === undefined ? openSession(cli) : { ...cli.session, close: async () => undefined };
}

// Backpressure: a slow reader of streamed records delays the next request, so memory stays small.
function paced(transport: Transport, screen: Screen): Transport {
  let waiting: Promise<void> | undefined;
  return {
    send: async (request) => {
      // Requests share one wait, because a stream with many listeners prints a warning.
      waiting ??= screen.ready().finally(() => {
        waiting = undefined;
      });
      await untilStopped(waiting, request.stop);
      if (request.stop?.stopped === true) throw stopped();
      return transport.send(request);
    },
  };
}
