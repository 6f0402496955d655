/** What commands of one process run with: one connection, one token and one log for all of them, as in a war room. */
import type { Lease } from '../../lib/library/connections.ts';
import { openProgram } from '../../lib/library/program.ts';
import { readEnvironment } from '../../lib/node/configuration.ts';
import { keepBytes, nodeFiles } from '../../lib/node/files.ts';
import type { KeepBytes } from '../../lib/ports.ts';
import type { Runtime } from '../../lib/runtime.ts';
import type { Folders } from './folders.ts';

/** Time for one command. */
const BUDGET_MS = 8000;

export interface Desk {
  /** What one command runs with. @param context what the commands before it left behind */
  runtime(context: Readonly<Record<string, unknown>>): Runtime;
  /** The same on a connection of its own that the signal stops; it has to be closed. */
  own(
    context: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ runtime: Runtime; close(): Promise<void> }>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** @param environment the settings of the service */
export async function openDesk(
  environment: Readonly<Record<string, string | undefined>>,
  folders: Folders,
): Promise<Desk> {
  const keep: KeepBytes = (name, contentType, bytes) => keepBytes(folders.current())(name, contentType, bytes);
  const program = await openProgram({
    configuration: await readEnvironment(environment),
    environment: {},
    files: { files: nodeFiles(folders.current()), keep },
    log: { level: 'debug', stream: { write: () => true } },
    advice: { settings: 'Set it.', time: 'Give it more time.', commands: 'See all commands.' },
    budgetMs: BUDGET_MS,
  });
  const runtime = (lease: Lease, signal: AbortSignal, context: Readonly<Record<string, unknown>>) =>
    program.runtime(lease, signal, { context, progress: () => undefined, files: nodeFiles(folders.current()) });
  const never = new AbortController().signal;
  const main = await program.connections.lease(never);
  return {
    runtime: (context) => runtime(main, never, context),
    own: async (context, signal) => {
      const lease = await program.connections.lease(signal);
      return { runtime: runtime(lease, signal, context), close: () => lease.release() };
    },
    close: async () => {
      await main.release();
      await program.flush();
    },
  };
}
