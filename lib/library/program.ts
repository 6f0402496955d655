/** What the commands of one process share: settings, connections, access token, retry budget, log and files. */
import { memoryTokens, newShared } from '../api/shared.ts';
import type { HostLog, LogLevel, LogOptions } from '../log/log.ts';
import { nodeClock } from '../node/clock.ts';
import type { Configuration } from '../node/configuration.ts';
import type { LaterFiles } from '../node/later-files.ts';
import type { Transport } from '../ports.ts';
import type { Advice, Runtime } from '../runtime.ts';
import { type Connection, type Connections, connections, type Lease } from './connections.ts';
import { runtimeOf } from './runtime.ts';
import type { SimulatedService } from './simulation.ts';
import { type VirtualTime, virtualClock } from './virtual-clock.ts';

/** A list of 5,000 records is then little more than a slow page; a service that finds it too much gets one page at a time. */
export const PAGES_AT_ONCE = 50;

export interface ProgramOptions {
  readonly configuration: Pick<Configuration, 'settings' | 'secrets'>;
  /** Responds in place of a tenant. */
  readonly simulation?: SimulatedService | undefined;
  /** The simulated tenant's own time. */
  readonly time?: VirtualTime | undefined;
  /** Proxy variables are read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: LaterFiles;
  readonly log: { readonly level: LogLevel; readonly stream: LogOptions['stream']; readonly showContent?: boolean };
  readonly advice: Advice;
  readonly budgetMs?: number | undefined;
  readonly contextLimit?: number | undefined;
  readonly secretSource?: Runtime['secretSource'];
  /** Receives what the user should know, such as certificate checks that are off. */
  readonly warn?: (message: string) => void;
  /** Wraps the transport of every connection. */
  readonly wrap?: (transport: Transport, signal: AbortSignal) => Transport;
}

/** What differs from one command to the next. */
export interface RuntimeOptions
  extends Partial<Pick<Runtime, 'context' | 'dryRun' | 'progress' | 'budgetMs' | 'contextLimit' | 'files'>> {}

export interface Program {
  readonly connections: Connections;
  /** Assembles what one command runs with, on a leased connection that the signal stops. */
  runtime(lease: Lease, signal: AbortSignal, options: RuntimeOptions): Runtime;
  /** Values that must not be shown, the access token included. */
  secrets(): readonly string[];
  readonly log: HostLog;
  /** Resolves when everything is logged. */
  flush(): Promise<void>;
}

/** Opens a program. No connection is made before the first command. */
export async function openProgram(options: ProgramOptions): Promise<Program> {
  const { createLog } = await import('../log/log.ts');
  const { configuration, files, advice, budgetMs, contextLimit, secretSource } = options;
  const tokens = memoryTokens();
  const secrets = () => [...configuration.secrets, tokens.read()?.['access_token'] ?? ''];
  const log: HostLog = createLog({ ...options.log, secrets });
  const shared = newShared();
  return {
    log,
    connections: connections((signal) => connect({ warn: log.warn, ...options }, signal)),
    secrets,
    runtime: ({ transport, clock }, signal, call) =>
      runtimeOf({
        settings: configuration.settings,
        transport,
        clock,
        log,
        tokens,
        shared,
        files: files.files,
        advice,
        pagesAtOnce: PAGES_AT_ONCE,
        cancelled: () => signal.aborted,
        ...(budgetMs === undefined ? {} : { budgetMs }),
        ...(contextLimit === undefined ? {} : { contextLimit }),
        ...(secretSource === undefined ? {} : { secretSource }),
        ...call,
      }),
    flush: () => log.flush(),
  };
}

async function connect(options: ProgramOptions, signal: AbortSignal): Promise<Connection> {
  const { configuration, simulation, time, environment, files, warn } = options;
  const wrap = options.wrap ?? ((transport: Transport) => transport);
  if (simulation !== undefined) {
    const clock = time === undefined ? nodeClock(signal) : virtualClock(time, signal);
    return { clock, transport: wrap(simulation.transport(clock, files), signal), close: async () => undefined };
  }
  const { nodeTransport } = await import('../transport/node.ts');
  const { insecure, proxy } = configuration.settings;
  const { keep } = files;
  const warned = warn === undefined ? {} : { warn };
  const transport = nodeTransport({ insecure, proxy, signal, environment, keep, ...warned });
  return { clock: nodeClock(signal), transport: wrap(transport, signal), close: () => transport.close() };
}
