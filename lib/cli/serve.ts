import { existsSync } from 'node:fs';
import { UsageError } from '../engine/errors.ts';
import type { HttpService, ListedToken, TerminalHost, TokensRequest } from '../hosts/terminal/host.ts';
import type { Options } from '../hosts/terminal/options/cli-options.ts';
import { isForPrograms } from '../hosts/terminal/options/options.ts';
import { jsonText } from '../hosts/terminal/render/json.ts';
import { measureFor } from '../hosts/terminal/render/measure.ts';
import { sanitize } from '../hosts/terminal/render/sanitize.ts';
import { renderReadable } from '../hosts/terminal/render/table.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { tokensPath } from '../node/user-folder.ts';
import { bearerToken } from './tools/bearer-token.ts';
import { cannotListen } from './tools/listening.ts';
import { startOptions } from './tools/start-options.ts';

const STANDARD_PORT = 8788;
const STANDARD_RATE = 600;
const STANDARD_GRACE_SECONDS = 30;
const LOOPBACK = '127.0.0.1';
/** The variable with a token for this start; without it and without a file of tokens, one is made. */
const TOKEN = 'AISEC_SERVE_TOKEN';
const TOKENS_FILE = 'AISEC_TOKENS_FILE';
const USAGE = 'Usage: aisec serve, aisec serve token NAME --role ROLE, or aisec serve tokens';

/** `aisec serve`: serves the commands over HTTP until a signal, or manages the tokens. */
export async function serve(cli: SubcommandContext): Promise<number> {
  const { host, words } = cli;
  const { httpService: service } = host;
  if (service === undefined) throw new UsageError('This build of aisec has no HTTP service.');
  const [word, name] = words;
  if (word === undefined) return listen(service, cli);
  if (word === 'token' && name !== undefined) return token(service, name, cli);
  if (word === 'tokens' && name === undefined) return list(service, cli);
  throw new UsageError(`aisec serve does not know "${[word, name].join(' ').trim().slice(0, 60)}".`, { hint: USAGE });
}

async function listen(service: HttpService, { host, options, screen, signal }: SubcommandContext): Promise<number> {
  const { host: address = LOOPBACK, port = STANDARD_PORT, graceSeconds = STANDARD_GRACE_SECONDS } = options;
  refuseTokenOptions(options);
  const tokensFile = usedTokensFile(options, host);
  try {
    await service.serve({
      host: address,
      port,
      client: startOptions(options, host),
      tokensFile,
      token: bearerToken(TOKEN, host.environment),
      auditFile: options.audit,
      tls: tlsOf(options),
      allowHosts: options.allowHosts,
      rate: options.rate ?? STANDARD_RATE,
      graceMs: graceSeconds * 1000,
      strict: options.strict,
      onListening: ({ url, token: made }) => {
        screen.result(`AISEC_URL=${url}`);
        if (made !== undefined) screen.result(`AISEC_TOKEN=${made}`);
        if (options.quiet) return;
        screen.note(`The service listens on ${url}. ${whoGetsIn(tokensFile, made)} Ctrl-C stops it.`);
      },
      warn: (message) => screen.note(`warning: ${message}`),
      signal,
    });
  } catch (thrown) {
    throw cannotListen(
      thrown,
      `${address}:${port}`,
      'Choose another with --port N and --host ADDRESS; port 0 picks a free one.',
    );
  }
  return 0;
}

/** Refuses what limits a token: a service that passed over it would seem to be limited. */
function refuseTokenOptions({ role, toolsets, expiresIn, revoke }: Options): void {
  const given = Object.entries({ role, toolsets, 'expires-in': expiresIn, revoke: revoke || undefined });
  const found = given.find(([, value]) => value !== undefined);
  if (found === undefined) return;
  throw new UsageError(`Option --${found[0]} belongs to a token, not to the whole service.`, {
    hint: `Use it with: aisec serve token NAME${found[0] === 'role' ? '' : ' --role ROLE'}`,
  });
}

function whoGetsIn(tokensFile: string | undefined, made: string | undefined): string {
  if (made !== undefined) return 'The token above is an administrator, until this start ends.';
  return tokensFile === undefined ? `Clients need the token of ${TOKEN}.` : `Clients need a token of ${tokensFile}.`;
}

function tlsOf({ tlsCert, tlsKey }: Options): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined) return { cert: tlsCert, key: tlsKey };
  throw new UsageError('TLS needs a certificate and its key.', { hint: 'Add --tls-cert FILE and --tls-key FILE.' });
}

/** Returns the file of tokens for this start; undefined if none was named and the standard one does not exist. */
function usedTokensFile({ tokens }: Options, { environment }: TerminalHost): string | undefined {
  const named = tokens ?? environment[TOKENS_FILE];
  if (named !== undefined) return named;
  const standard = tokensPath(environment);
  return existsSync(standard) ? standard : undefined;
}

function tokensRequest({ host, options, signal }: SubcommandContext): TokensRequest {
  const { environment } = host;
  return { tokensFile: options.tokens ?? environment[TOKENS_FILE], configFile: options.config, environment, signal };
}

async function token(service: HttpService, name: string, cli: SubcommandContext) {
  const { options, screen } = cli;
  const { role, toolsets, profile, expiresIn, revoke, quiet, dryRun } = options;
  const request = { ...tokensRequest(cli), name, dryRun };
  if (revoke) {
    await service.revokeToken(request);
    if (dryRun) screen.note(`Dry run: ${sanitize(name)} would be revoked. Nothing was changed.`);
    else if (!quiet) screen.note(`${sanitize(name)} is revoked; a running service refuses it within a second.`);
    return 0;
  }
  if (role === undefined) {
    throw new UsageError('A token needs a role.', { hint: 'Add --role read, --role operate or --role admin.' });
  }
  const added = await service.addToken({ ...request, role, toolsets, profile, expiresIn });
  if (dryRun) {
    screen.note(`Dry run: a token ${sanitize(name)} with the role ${role} would be added to ${added.path}.`);
    return 0;
  }
  screen.result(added.token);
  if (!quiet) screen.note(`Keep it now: ${added.path} has only its SHA-256.`);
  return 0;
}

async function list(service: HttpService, cli: SubcommandContext) {
  const { screen, format, signal } = cli;
  const tokens = await service.listTokens(tokensRequest(cli));
  if (isForPrograms(format)) {
    screen.result(jsonText({ tokens }, screen.terminal));
    return 0;
  }
  if (tokens.length === 0) {
    screen.note('There are no tokens. Make one with: aisec serve token NAME --role ROLE');
    return 0;
  }
  const columns = ['name', 'role', 'toolsets', 'profile', 'created', 'expires'];
  const readable = {
    title: 'Tokens',
    simulated: false,
    tables: [{ columns, rows: tokens.map(rowOf) }],
    notes: [],
  };
  const page = { width: screen.width, style: screen.style, signal, measure: await measureFor(readable) };
  screen.result(await renderReadable(readable, page));
  return 0;
}

function rowOf({ name, role, toolsets, profile, created, expires, expired }: ListedToken): string[] {
  const end = expires === undefined ? '' : `${expires}${expired ? ' (expired)' : ''}`;
  return [name, role, toolsets?.join(', ') ?? 'all', profile ?? '', created, end];
}
