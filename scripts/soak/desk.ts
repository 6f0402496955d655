/** What commands of one process run with: one connection, one token and one log for all of them, as in a war room. */
import { memoryTokens, newShared } from '../../lib/api/shared.ts';
import { createLog } from '../../lib/log/log.ts';
import { nodeClock } from '../../lib/node/clock.ts';
import { keepBytes, nodeFiles } from '../../lib/node/files.ts';
import type { Clock, KeepBytes, Stop } from '../../lib/ports.ts';
import { CONTEXT_LIMIT, type Runtime } from '../../lib/runtime.ts';
import type { Settings } from '../../lib/settings/parameters.ts';
import { type NodeTransport, nodeTransport } from '../../lib/transport/node.ts';
import type { Folders } from './folders.ts';

/** Time for one command. */
const BUDGET_MS = 8000;

export interface Desk {
  /** What one command runs with. @param context what the commands before it left behind. @param stop ends it alone */
  runtime(context: Readonly<Record<string, unknown>>, stop?: Stop): Runtime;
  /** Ends the connection. */
  close(): Promise<void>;
}

export function openDesk(settings: Settings, folders: Folders): Desk {
  const tokens = memoryTokens();
  const secrets = [settings.client_secret ?? '', settings.runtime_api_key ?? ''];
  const log = createLog({
    level: 'debug',
    stream: { write: () => true },
    secrets: () => [...secrets, tokens.read()?.['access_token'] ?? ''],
  });
  const given = { settings, tokens, log, shared: newShared() };
  const connection = connect(settings, folders);
  return {
    runtime: (context, stop) => ({ ...runtimeOf(given, folders, connection, context), stop }),
    close: async () => {
      await connection.transport.close();
      await log.flush();
    },
  };
}

interface Connection {
  readonly transport: NodeTransport;
  readonly clock: Clock;
}

function connect({ insecure, proxy }: Settings, folders: Folders): Connection {
  const keep: KeepBytes = (name, contentType, bytes) => keepBytes(folders.current())(name, contentType, bytes);
  return { transport: nodeTransport({ insecure, proxy, keep }), clock: nodeClock() };
}

type Given = Pick<Runtime, 'settings' | 'tokens' | 'log' | 'shared'>;

function runtimeOf(
  given: Given,
  folders: Folders,
  { transport, clock }: Connection,
  context: Readonly<Record<string, unknown>>,
): Runtime {
  return {
    ...given,
    transport,
    clock,
    budgetMs: BUDGET_MS,
    dryRun: false,
    progress: () => undefined,
    files: nodeFiles(folders.current()),
    contextLimit: CONTEXT_LIMIT,
    context,
    advice: { settings: 'Set it.', time: 'Give it more time.', commands: 'See all commands.' },
  };
}
