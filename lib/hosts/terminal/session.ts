/** What lives as long as the program runs: settings, connection, access token, context. */
import { readFileSync } from 'node:fs';
import { memoryTokens, newShared } from '../../api/shared.ts';
import type { HostLog } from '../../log/log.ts';
import type { Transport } from '../../ports.ts';
import type { ContextWrite } from '../../result.ts';
import { CONTEXT_LIMIT, type Runtime } from '../../runtime.ts';
import type { Options } from './cli-options.ts';
import { nodeClock } from './clock.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import type { Environment, TerminalHost } from './host.ts';
import { stopped } from './interrupt.ts';
import { type LaterFiles, laterFiles } from './later-files.ts';
import type { Screen } from './screen.ts';

export interface Session {
  readonly configuration: Configuration;
  context(): Readonly<Record<string, unknown>>;
  /** Puts what a command leaves behind into the context. */
  keep(writes: readonly ContextWrite[]): Promise<void>;
  /** What a command runs with, until the signal stops it. */
  runtime(signal: AbortSignal): Promise<Runtime>;
  /** Ends the connection; resolves when everything is logged. */
  close(): Promise<void>;
}

const STANDARD_SECONDS = 300;

/** A list of 5,000 records is then little more than a slow page; a service that finds it too much gets one page at a time. */
export const PAGES_AT_ONCE = 50;

const ADVICE = {
  settings: 'Set it in the environment or in the settings file, or rehearse with --simulate.',
  time: 'Give it more time with --timeout, or execution-timeout in the war room.',
  commands: 'See all with: aisec commands',
};

/** Opens a session. Nothing is loaded that the first command does not need. */
export async function openSession(host: TerminalHost, options: Options, screen: Screen): Promise<Session> {
  const configuration = await readConfiguration(host, options);
  const tokens = memoryTokens();
  const shared = newShared();
  const token = () => tokens.read()?.['access_token'] ?? '';
  screen.conceal(() => [...configuration.secrets, token()]);
  const log = await openLog(host, options, () => [...configuration.secrets, token()]);
  if (!options.quiet) for (const warning of configuration.warnings) screen.note(`warning: ${warning}`);
  let context: Readonly<Record<string, unknown>> = {};
  const later = laterFiles(options.filesDirectory ?? '.');
  // A directory that was asked for is there to be written to; the current one only by the commands that need it.
  if (options.filesDirectory !== undefined) await later.files.checkWritable?.();
  let connection: Connection | undefined;
  return {
    configuration,
    context: () => context,
    keep: async (writes) => {
      const { mergeContext } = await import('../../output/merge.ts');
      context = mergeContext(context, writes);
    },
    runtime: async (signal) => {
      // A connection outlives a command, but not the interruption of one.
      if (connection?.signal !== signal) {
        await connection?.close();
        connection = await connect(host, configuration, { signal, later, screen });
      }
      const { transport, clock } = connection;
      return {
        settings: configuration.settings,
        transport,
        clock,
        log,
        tokens,
        shared,
        cancelled: () => signal.aborted,
        budgetMs: (options.timeoutSeconds ?? STANDARD_SECONDS) * 1000,
        pagesAtOnce: PAGES_AT_ONCE,
        dryRun: options.dryRun,
        ...(options.quiet ? {} : { progress: (line: string) => screen.progress(line) }),
        files: later.files,
        contextLimit: options.contextLimit ?? CONTEXT_LIMIT,
        context,
        advice: ADVICE,
        secretSource: (kind, name) => secretFrom(kind, name, host.environment),
      };
    },
    close: async () => {
      await connection?.close();
      await log.flush();
    },
  };
}

interface Connection extends Pick<Runtime, 'transport' | 'clock'> {
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

async function connect(
  host: TerminalHost,
  { settings, simulation }: Configuration,
  { signal, later, screen }: { signal: AbortSignal; later: LaterFiles; screen: Screen },
): Promise<Connection> {
  const clock = nodeClock(signal);
  if (simulation !== undefined) {
    const transport = simulation.transport(clock, later);
    return { signal, clock, transport: paced(transport, screen, signal), close: async () => undefined };
  }
  const { nodeTransport } = await import('../../transport/node.ts');
  const warn = (message: string) => screen.note(`warning: ${message}`);
  const { insecure, proxy } = settings;
  const transport = nodeTransport({ insecure, proxy, signal, environment: host.environment, warn, keep: later.keep });
  return { signal, clock, transport: paced(transport, screen, signal), close: () => transport.close() };
}

// Records are printed as they arrive; a reader who is slow holds up the next request, not the memory.
function paced(transport: Transport, screen: Screen, signal: AbortSignal): Transport {
  let waiting: Promise<void> | undefined;
  return {
    send: async (request) => {
      // All wait together: a stream does not expect as many listeners as there may be requests.
      waiting ??= screen.ready(signal).finally(() => {
        waiting = undefined;
      });
      await waiting;
      if (signal.aborted) throw stopped();
      return transport.send(request);
    },
  };
}

async function openLog(host: TerminalHost, options: Options, secrets: () => readonly string[]): Promise<HostLog> {
  const { createLog } = await import('../../log/log.ts');
  const level = options.logLevel ?? (options.quiet ? 'silent' : 'warn');
  return createLog({ level, secrets, stream: host.stderr, showContent: options.logContent });
}

function secretFrom(kind: 'env' | 'file', name: string, environment: Environment): string | undefined {
  if (kind === 'env') return environment[name];
  try {
    return readFileSync(name, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}
