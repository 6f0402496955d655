/** Serves the commands to agents, over stdio or HTTP, until it is stopped. */
import { randomBytes } from 'node:crypto';
import { clientOf } from '../../client/client.ts';
import type { ClientParts } from '../../client/open.ts';
import type { StartOptions } from '../../client/types.ts';
import type { Advice } from '../../core/runtime.ts';
import { filesDirectory } from '../../node/files/unfinished.ts';
import { untilAborted } from '../../node/system/stop.ts';
import { type Agent, FileResources } from './agent.ts';
import { type SelectionOptions, selectionOf } from './reach.ts';
import type { HttpOptions } from './serve-http.ts';
import type { StdioStreams } from './stdio.ts';
import { listedTools } from './tools.ts';

/** Maximum size of a result in bytes of JSON, about 10,000 tokens; a larger result is cut, and a file has all of it. */
const RESULT_BYTES = 32_000;

const ADVICE: Advice = {
  settings: 'Set it where the server is started: in its environment or settings file. Or start it with --simulate.',
  time: 'Start the server with a longer --timeout.',
  commands: 'Find one with aisec_search.',
};

/** Injected parts of the program. */
export type AgentParts = Pick<ClientParts, 'registry' | 'simulated' | 'queue'> &
  Pick<Agent, 'version' | 'catalogue' | 'playbooks' | 'later'>;

export interface AgentOptions extends SelectionOptions {
  /** Options set by the person who starts the server. */
  readonly client: StartOptions;
  /** Show secrets that a service returns only once. */
  readonly allowSecrets: boolean;
  /** Serve over HTTP; otherwise over stdio. */
  readonly http?: (Omit<HttpOptions, 'token' | 'warn'> & { readonly token?: string | undefined }) | undefined;
}

/** Dependencies that the program passes to the host. */
export interface AgentStreams extends StdioStreams {
  /** Shows a line to the person; stdout is reserved for the protocol. */
  readonly note: (line: string) => void;
}

/** Serves until the signal, or until the client closes stdin. @throws UsageError, ConfigurationError */
export async function serveAgents(parts: AgentParts, options: AgentOptions, streams: AgentStreams): Promise<void> {
  const { registry, simulated, version, catalogue, playbooks, later, queue } = parts;
  const selection = selectionOf(options, Object.keys(registry));
  const { directory, remove } = await filesDirectory(options.client.filesDirectory, 'aisec-mcp-');
  const client = clientOf<object>(
    {
      registry,
      simulated,
      catalogue: () => [],
      advice: ADVICE,
      stopping: streams.signal,
      ...(queue === undefined ? {} : { queue }),
    },
    {
      ...options.client,
      allow: selection.allow,
      confined: true,
      hideSecrets: !options.allowSecrets,
      resultLimit: RESULT_BYTES,
      filesDirectory: directory,
    },
  );
  const tools = await listedTools({ registry, selection });
  const files = new FileResources();
  const agent: Agent = { client, registry, selection, tools, files, version, catalogue, playbooks, later };
  try {
    if (options.http === undefined) await (await import('./stdio.ts')).overStdio(agent, streams);
    else await overHttp(agent, options.http, streams);
  } finally {
    await client.close();
    await remove();
  }
}

async function overHttp(
  agent: Agent,
  { token: given, ...http }: NonNullable<AgentOptions['http']>,
  { note, signal }: AgentStreams,
): Promise<void> {
  const { serveHttp } = await import('./serve-http.ts');
  const token = given ?? randomBytes(24).toString('base64url');
  const { url, close } = await serveHttp(agent, { ...http, token, warn: note });
  try {
    // A token that the user chose outlives this process, so it must not be logged.
    const shown = given === undefined ? `Bearer ${token}"` : 'Bearer" and your token';
    note(`Agents connect to ${url} with the header "Authorization: ${shown}. Ctrl-C stops it.`);
    await untilAborted(signal);
  } finally {
    await close();
  }
}
