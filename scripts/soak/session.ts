/** The session of the soak test: commands share one connection, token and log, as in a war room. */
import { openProgram } from '../../lib/client/program.ts';
import type { KeepBytes, Stop } from '../../lib/core/ports.ts';
import type { Runtime } from '../../lib/core/runtime.ts';
import { readEnvironment } from '../../lib/node/configuration.ts';
import { keepBytes, nodeFiles } from '../../lib/node/files/files.ts';
import type { Folders } from './folders.ts';

/** Timeout of one command. */
const BUDGET_MS = 8000;

export interface SoakSession {
  /** Creates the runtime of one command. @param context outputs of earlier commands @param stop stops this command only */
  runtime(context: Readonly<Record<string, unknown>>, stop?: Stop): Promise<Runtime>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Opens a session. @param environment settings of the service */
export async function openSoakSession(
  environment: Readonly<Record<string, string | undefined>>,
  folders: Folders,
): Promise<SoakSession> {
  const keep: KeepBytes = (name, contentType, bytes) => keepBytes(folders.current())(name, contentType, bytes);
  const program = await openProgram({
    configuration: await readEnvironment(environment),
    environment: {},
    files: { files: nodeFiles(folders.current()), keep },
    log: { level: 'debug', stream: { write: () => true } },
    advice: { settings: 'Set it.', time: 'Give it more time.', commands: 'See all commands.' },
    budgetMs: BUDGET_MS,
  });
  return {
    runtime: (context, stop) =>
      program.runtime(stop, { context, progress: () => undefined, files: nodeFiles(folders.current()) }),
    close: () => program.close(),
  };
}
