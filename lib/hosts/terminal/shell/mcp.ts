import { UsageError } from '../../../core/errors.ts';
import { flag, text } from '../line/options.ts';
import { host, port, toolsets } from '../line/shared-flags.ts';
import type { Subcommand, SubcommandContext } from '../line/subcommand.ts';

const STANDARD_PORT = 8789;
/** The variable with the agents' token for HTTP; if it is not set, a token is generated for this start. */
const TOKEN = 'AISEC_MCP_TOKEN';

const flags = {
  http: flag('Serve over HTTP, not over stdin and stdout.'),
  port,
  host,
  toolsets,
  tools: text('NAMES', 'The same by names of commands, separated by commas; * stands for any characters.'),
  readOnly: flag('Only commands that change nothing in the tenant.'),
  allowSecrets: flag('Show agents the secrets that the service returns only once.'),
};

type Context = SubcommandContext<typeof flags>;

/** `aisec mcp`: serves the commands to agents until the client closes stdin, or a signal. */
export const mcp: Subcommand<typeof flags> = {
  usage: 'mcp [--http [PORT]] [--toolsets NAMES] [--tools NAMES] [--read-only]',
  summary: 'Serve the commands to agents over the Model Context Protocol.',
  words: 1,
  flags,
  dryRun: () => ({
    refused: 'Its agents decide on each call.',
    hint: 'Start it with --read-only, or pass dry_run: true in a call.',
  }),
  untilStopped: true,
  run: async (cli) => {
    const { host: program, options, screen, signal } = cli;
    const { toolsets: families, tools, readOnly, allowSecrets, quiet } = options;
    const { bearerToken, cannotListen, LOOPBACK, startOptions } = await import('./shared/serving.ts');
    const number = portOf(cli);
    const http =
      number === undefined
        ? undefined
        : { host: options.host ?? LOOPBACK, port: number, token: bearerToken(TOKEN, program.environment) };
    const { serveAgents } = await import('../../mcp/main.ts');
    const client = startOptions(options, program);
    const { stdin, stdout } = program;
    const note = (line: string) => {
      // Agents need the token that was generated for this start.
      if (!quiet || http?.token === undefined) screen.note(line);
    };
    try {
      const selection = { toolsets: families, tools, readOnly, allowSecrets };
      await serveAgents(program, { ...selection, http, client }, { stdin, stdout, note, signal });
      return 0;
    } catch (thrown) {
      if (http === undefined) throw thrown;
      const hint = 'Choose another with --http PORT and --host ADDRESS; port 0 picks a free one.';
      throw cannotListen(thrown, `${http.host}:${http.port}`, hint);
    }
  },
};

/** Returns the HTTP port; undefined for stdio. */
function portOf({ options, words: [word] }: Context): number | undefined {
  if (!options.http) {
    if (word === undefined && options.host === undefined && options.port === undefined) return undefined;
    throw new UsageError('A port or an address is for HTTP only.', { hint: 'Add --http, or leave it out.' });
  }
  const number = word === undefined ? (options.port ?? STANDARD_PORT) : Number(word);
  if (/^\d+$/.test(String(number)) && number <= 65_535) return number;
  throw new UsageError(`"${String(word).slice(0, 20)}" is not a port.`, { hint: 'Usage: aisec mcp --http 8789' });
}
