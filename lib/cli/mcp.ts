import { UsageError } from '../engine/errors.ts';
import type { AgentsRequest, Environment } from '../hosts/terminal/host.ts';
import type { Options } from '../hosts/terminal/options/cli-options.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { bearerToken } from './tools/bearer-token.ts';
import { cannotListen } from './tools/listening.ts';
import { startOptions } from './tools/start-options.ts';

const STANDARD_PORT = 8789;
const LOOPBACK = '127.0.0.1';
/** The variable with the token of agents over HTTP; without it, one is made for this start. */
const TOKEN = 'AISEC_MCP_TOKEN';
const HOW_TO_CHOOSE = 'Choose another with --http PORT and --host ADDRESS; port 0 picks a free one.';

/** `aisec mcp`: serves the commands to agents until the client closes stdin, or a signal. */
export async function mcp({ host, options, screen, signal, words }: SubcommandContext): Promise<number> {
  const { serveAgents, environment } = host;
  if (serveAgents === undefined) throw new UsageError('This build of aisec has no server for agents.');
  const { toolsets, tools, readOnly, allowSecrets, quiet } = options;
  const http = httpOf(options, words[0], environment);
  try {
    await serveAgents({
      toolsets,
      tools,
      readOnly,
      allowSecrets,
      http,
      client: startOptions(options, host),
      note: (line) => {
        // Nobody could connect without a token that was made for this start.
        if (!quiet || http?.token === undefined) screen.note(line);
      },
      signal,
    });
  } catch (thrown) {
    if (http === undefined) throw thrown;
    throw cannotListen(thrown, `${http.host}:${http.port}`, HOW_TO_CHOOSE);
  }
  return 0;
}

function httpOf(
  { http, host, port }: Options,
  word: string | undefined,
  environment: Environment,
): AgentsRequest['http'] {
  if (!http) {
    if (word === undefined && host === undefined && port === undefined) return undefined;
    throw new UsageError('A port or an address is for HTTP alone.', { hint: 'Add --http, or leave it out.' });
  }
  const number = word === undefined ? (port ?? STANDARD_PORT) : Number(word);
  if (!/^\d+$/.test(String(number)) || number > 65_535) {
    throw new UsageError(`"${String(word).slice(0, 20)}" is not a port.`, { hint: 'Usage: aisec mcp --http 8789' });
  }
  return { host: host ?? LOOPBACK, port: number, token: bearerToken(TOKEN, environment) };
}
