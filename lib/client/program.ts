/** Resources that the commands of one process share: settings, connections, access token, retry budget, log and files. */

import type { Clock, Stop, Transport } from '../core/ports.ts';
import type { Advice, Runtime } from '../core/runtime.ts';
import { memoryTokens, newShared } from '../core/shared.ts';
import type { LazyFiles } from '../node/files/lazy-files.ts';
import type { HostLog, LogLevel, LogOptions } from '../node/log/log.ts';
import type { Configuration } from '../node/settings/configuration.ts';
import { nodeClock } from '../node/system/clock.ts';
import { SHARDS } from '../runtime/bulk/shards.ts';
import { runtimeOf } from '../runtime/engine/command-runtime.ts';
import type { ClientQueue } from './queue.ts';
import type { TenantTitle } from './report-pages.ts';
import { type SimulatedService, type VirtualTime, virtualClock } from './simulation.ts';
import { showingUploads } from './upload-progress.ts';

/** Maximum concurrent pages of a list; a service that throttles gets one page at a time. */
export const PAGES_AT_ONCE = 50;

export interface ProgramOptions {
  readonly configuration: Pick<Configuration, 'settings' | 'secrets' | 'file'>;
  /** Responds instead of a tenant. */
  readonly simulation?: SimulatedService | undefined;
  /** Virtual time of the simulated tenant. */
  readonly time?: VirtualTime | undefined;
  /** Source of proxy variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: LazyFiles;
  readonly log: { readonly level: LogLevel; readonly stream: LogOptions['stream']; readonly showContent?: boolean };
  readonly advice: Advice;
  readonly budgetMs?: number | undefined;
  readonly contextLimit?: number | undefined;
  readonly secretSource?: Runtime['secretSource'];
  /** Receives warnings, such as certificate checks that are off. */
  readonly warn?: (message: string) => void;
  /** Other processes that perform bulk work. */
  readonly queue?: ClientQueue | undefined;
  /** Wraps the transport. */
  readonly wrap?: (transport: Transport) => Transport;
}

/** Options of one command. */
export type RuntimeOptions = Partial<
  Pick<Runtime, 'context' | 'dryRun' | 'progress' | 'budgetMs' | 'contextLimit' | 'files' | 'secretSource'>
>;

export interface Program {
  /** Creates the runtime of one command. The first call opens the shared connection. @param stop stops this command only */
  runtime(stop: Stop | undefined, options: RuntimeOptions): Promise<Runtime>;
  /** Values to redact, including the access token. */
  secrets(): readonly string[];
  readonly log: HostLog;
  /** The tenant of its settings. */
  readonly title: TenantTitle;
  /** Closes the connection and flushes the log. */
  close(): Promise<void>;
}

/** Opens a program. No connection is made before the first command. */
export async function openProgram(options: ProgramOptions): Promise<Program> {
  const { createLog } = await import('../node/log/log.ts');
  const { configuration, files, advice, budgetMs, contextLimit, secretSource } = options;
  const { settings, file } = configuration;
  const tokens = memoryTokens();
  const secrets = () => [...configuration.secrets, tokens.read()?.['access_token'] ?? ''];
  const log: HostLog = createLog({ ...options.log, secrets });
  const shared = newShared();
  let connection: Promise<Connection> | undefined;
  return {
    log,
    secrets,
    title: { tenant: settings.tsg_id, profile: file?.profile, production: file?.production ?? false },
    runtime: async (stop, call) => {
      connection ??= connect({ warn: log.warn, ...options });
      const { transport, clock } = await connection;
      return runtimeOf({
        settings,
        transport: call.progress === undefined ? transport : showingUploads(transport, call.progress, clock),
        clock,
        log,
        tokens,
        shared,
        stop,
        files: files.files,
        advice,
        // A rehearsal takes only seconds.
        ...(options.simulation === undefined ? {} : { defaults: { interval: '1' } }),
        pageConcurrency: PAGES_AT_ONCE,
        ...(budgetMs === undefined ? {} : { budgetMs }),
        ...(contextLimit === undefined ? {} : { contextLimit }),
        ...(secretSource === undefined ? {} : { secretSource }),
        ...(options.queue === undefined ? {} : { ports: { [SHARDS.name]: options.queue.shards } }),
        ...call,
      });
    },
    close: async () => {
      await options.queue?.close();
      await (await connection)?.close();
      await log.flush();
    },
  };
}

interface Connection {
  readonly transport: Transport;
  readonly clock: Clock;
  close(): Promise<void>;
}

async function connect(options: ProgramOptions): Promise<Connection> {
  const { configuration, simulation, time, environment, files, warn } = options;
  const wrap = options.wrap ?? ((transport: Transport) => transport);
  const clock = time === undefined ? nodeClock() : virtualClock(time);
  if (simulation !== undefined) {
    return { clock, transport: wrap(simulation.transport(clock, files)), close: async () => undefined };
  }
  const { nodeTransport } = await import('../node/http/transport.ts');
  const { insecure, proxy } = configuration.settings;
  const { keep } = files;
  const warned = warn === undefined ? {} : { warn };
  const transport = nodeTransport({ insecure, proxy, environment, keep, ...warned });
  return { clock, transport: wrap(transport), close: () => transport.close() };
}
