/** What lives as long as the program runs: settings, connection, access token, context. */
import { readFileSync } from 'node:fs';
import type { Lease } from '../../library/connections.ts';
import { openProgram } from '../../library/program.ts';
import { laterFiles } from '../../node/later-files.ts';
import type { Transport } from '../../ports.ts';
import type { ContextWrite } from '../../result.ts';
import type { Runtime } from '../../runtime.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import type { Options } from './given.ts';
import type { Environment, TerminalHost } from './host.ts';
import { stopped } from './interrupt.ts';
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

const ADVICE = {
  settings: 'Set it in the environment or in the settings file, or rehearse with --simulate.',
  time: 'Give it more time with --timeout, or execution-timeout in the war room.',
  commands: 'See all with: aisec commands',
};

/** Opens a session. Nothing is loaded that the first command does not need. */
export async function openSession(host: TerminalHost, options: Options, screen: Screen): Promise<Session> {
  const configuration = await readConfiguration(host, options);
  const files = laterFiles(options.filesDirectory ?? '.');
  const { timeoutSeconds, contextLimit } = options;
  const program = await openProgram({
    configuration,
    simulation: configuration.simulation,
    environment: host.environment,
    files,
    log: {
      level: options.logLevel ?? (options.quiet ? 'silent' : 'warn'),
      stream: host.stderr,
      showContent: options.logContent,
    },
    advice: ADVICE,
    budgetMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
    contextLimit,
    secretSource: (kind, name) => secretFrom(kind, name, host.environment),
    warn: (message) => screen.note(`warning: ${message}`),
    wrap: (transport, signal) => paced(transport, screen, signal),
  });
  screen.conceal(program.secrets);
  if (!options.quiet) for (const warning of configuration.warnings) screen.note(`warning: ${warning}`);
  let context: Readonly<Record<string, unknown>> = {};
  // A directory that was asked for is there to be written to; the current one only by the commands that need it.
  if (options.filesDirectory !== undefined) await files.files.checkWritable?.();
  let held: { readonly lease: Lease; readonly signal: AbortSignal } | undefined;
  return {
    configuration,
    context: () => context,
    keep: async (writes) => {
      const { mergeContext } = await import('../../output/merge.ts');
      context = mergeContext(context, writes);
    },
    runtime: async (signal) => {
      // A connection outlives a command, but not the interruption of one.
      if (held?.signal !== signal) {
        await held?.lease.release();
        held = { signal, lease: await program.connections.lease(signal) };
      }
      const progress = options.quiet ? {} : { progress: (line: string) => screen.progress(line) };
      return program.runtime(held.lease, signal, { dryRun: options.dryRun, context, ...progress });
    },
    close: async () => {
      await held?.lease.release();
      await program.flush();
    },
  };
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

function secretFrom(kind: 'env' | 'file', name: string, environment: Environment): string | undefined {
  if (kind === 'env') return environment[name];
  try {
    return readFileSync(name, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}
