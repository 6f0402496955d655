import { UsageError } from '../../../core/errors.ts';
import { ROLES } from '../../../manifest/roles.ts';
import type { ShownToken } from '../../http/access/manage.ts';
import type { Listening } from '../../http/main.ts';
import { flag, isForPrograms, number, text, texts, type Values } from '../line/options.ts';
import { audit, graceSeconds, host, port, strict, toolsets } from '../line/shared-flags.ts';
import type { DryRun, Subcommand, SubcommandContext } from '../line/subcommand.ts';
import { jsonText } from '../ui/json.ts';
import { sanitize } from '../ui/sanitize.ts';

const STANDARD_PORT = 8788;
const STANDARD_RATE = 600;
const STANDARD_GRACE_SECONDS = 30;
/** The variable with a token for this start; if neither it nor a token file exists, a token is generated. */
const TOKEN = 'AISEC_SERVE_TOKEN';
const TOKENS_FILE = 'AISEC_TOKENS_FILE';
const USAGE = 'Usage: aisec serve, aisec serve token NAME --role ROLE, or aisec serve tokens';

const flags = {
  port,
  host,
  toolsets,
  tokens: text(
    'FILE',
    'The file of tokens. The default is AISEC_TOKENS_FILE, or tokens.json next to the settings file if it exists.',
  ),
  role: text('ROLE', 'What a new token may do: read, operate (all but deletes and one-time secrets), admin.', {
    choices: ROLES,
  }),
  expiresIn: text('DAYS', 'Time until a new token expires, such as 90d.'),
  revoke: flag('Revoke the token; it is refused within a second.'),
  audit,
  tlsCert: text('FILE', 'Certificate chain, PEM; with --tls-key.'),
  tlsKey: text('FILE', 'Private key of the certificate, PEM.'),
  allowHosts: texts('NAME', 'Another name by which clients may call the service; may be repeated.', {
    name: 'allow-host',
  }),
  rate: number('N', 'Requests that one token may send in a minute. The default is 600.', { largest: 1_000_000 }),
  open: flag('Open the war room in the browser.'),
  strict,
  graceSeconds,
  guardOnError: text(
    'ACTION',
    'What the guard does without a complete verdict: block or allow. The default is block.',
    {
      choices: ['block', 'allow'],
    },
  ),
  guardMask: text(
    'KINDS',
    'The guard lets masked text pass in place of a block, where the profile masks: input, output or input,output.',
  ),
};

type Context = SubcommandContext<typeof flags>;
type Options = Context['options'];

const DRY_RUN: Readonly<Record<string, DryRun>> = {
  '': {
    refused: 'Its clients decide on each call.',
    hint: 'Add ?dry_run=true to a call, or use tokens of the role read.',
  },
  token: 'honours',
};

/** `aisec serve`: serves the commands over HTTP until a signal, or manages the tokens. */
export const serve: Subcommand<typeof flags> = {
  usage: 'serve [--open] [--port N] [--tokens FILE] | serve token NAME --role ROLE | serve tokens',
  summary: 'Serve the war room in the browser and the commands over HTTP, or manage the tokens.',
  words: 2,
  flags,
  dryRun: ({ words: [word] }) => DRY_RUN[word ?? ''] ?? 'reads',
  untilStopped: true,
  run: (cli) => {
    const [word, name] = cli.words;
    if (word === undefined) return listen(cli);
    if (word === 'token' && name !== undefined) return changeToken(name, cli);
    if (word === 'tokens' && name === undefined) return listTokens(cli);
    throw new UsageError(`aisec serve does not know "${[word, name].join(' ').trim().slice(0, 60)}".`, { hint: USAGE });
  },
};

async function listen(cli: Context): Promise<number> {
  const { options, screen, signal } = cli;
  refuseTokenOptions(options);
  const [{ bearerToken, cannotListen, LOOPBACK, startOptions }, http] = await Promise.all([
    import('./shared/serving.ts'),
    import('../../http/main.ts'),
  ]);
  const { host: address = LOOPBACK, port: number = STANDARD_PORT } = options;
  const { tokensFile, awaitsTokens } = await usedTokensFile(cli);
  const served = {
    host: address,
    port: number,
    client: startOptions(options, cli.host),
    tokensFile,
    awaitsTokens,
    opens: options.open,
    token: bearerToken(TOKEN, cli.host.environment),
    auditFile: options.audit,
    tls: tlsOf(options),
    allowHosts: options.allowHosts,
    rate: options.rate ?? STANDARD_RATE,
    graceMs: (options.graceSeconds ?? STANDARD_GRACE_SECONDS) * 1000,
    strict: options.strict,
    guard: { onError: options.guardOnError ?? 'block', mask: maskedKinds(options.guardMask) },
  };
  const onListening = ({ url, token, code }: Listening) => {
    screen.result(`AISEC_URL=${url}`);
    if (token !== undefined) screen.result(`AISEC_TOKEN=${token}`);
    const address = code === undefined ? `${url}/` : `${url}/#code=${code}`;
    // A token that was given is a secret, and so is a code that stands for it.
    const isShown = token !== undefined || options.open;
    if (!options.quiet) {
      screen.note(`The service listens on ${url}. ${accessNote(awaitsTokens, tokensFile, token)} Ctrl-C stops it.`);
      screen.note(`The war room is at ${isShown ? `${address} (works once, within ten minutes)` : `${url}/`}`);
    }
    if (options.open) void opensRoom(address, cli);
  };
  try {
    await http.runService({ ...cli.host, reportPages: cli.reportPages }, served, {
      onListening,
      warn: (text) => screen.note(`warning: ${text}`),
      signal,
    });
    return 0;
  } catch (thrown) {
    const hint = 'Choose another with --port N and --host ADDRESS; port 0 picks a free one.';
    throw cannotListen(thrown, `${address}:${number}`, hint);
  }
}

async function opensRoom(address: string, { host, screen }: Context): Promise<void> {
  const { opensAddress } = await import('../result/open-in-browser.ts');
  const isOpen = await opensAddress(address, host).catch(() => false);
  if (!isOpen) screen.note('note: no browser could be opened; open the address of the war room yourself.');
}

function maskedKinds(given: string | undefined) {
  const known = ['input', 'output'] as const;
  return (given?.split(',') ?? []).map((word) => {
    const kind = known.find((each) => each === word.trim());
    if (kind !== undefined) return kind;
    throw new UsageError(`--guard-mask does not know "${word.trim().slice(0, 60)}".`, {
      hint: 'Use --guard-mask input, --guard-mask output or --guard-mask input,output.',
    });
  });
}

/** Refuses options that limit a token; if they were ignored, the service would seem to be limited. */
function refuseTokenOptions({ role, toolsets: named, expiresIn, revoke }: Options): void {
  const given = Object.entries({ role, toolsets: named, 'expires-in': expiresIn, revoke: revoke || undefined });
  const found = given.find(([, value]) => value !== undefined);
  if (found === undefined) return;
  throw new UsageError(`Option --${found[0]} belongs to a token, not to the whole service.`, {
    hint: `Use it with: aisec serve token NAME${found[0] === 'role' ? '' : ' --role ROLE'}`,
  });
}

function accessNote(awaitsTokens: boolean, tokensFile: string, made: string | undefined): string {
  if (made !== undefined) return 'The token above is an administrator, until this start ends.';
  return awaitsTokens ? `Clients need the token of ${TOKEN}.` : `Clients need a token of ${tokensFile}.`;
}

function tlsOf({ tlsCert, tlsKey }: Values<typeof flags>): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined) return { cert: tlsCert, key: tlsKey };
  throw new UsageError('TLS needs a certificate and its key.', { hint: 'Add --tls-cert FILE and --tls-key FILE.' });
}

function namedTokensFile({ options, host: { environment } }: Context): string | undefined {
  return options.tokens ?? environment[TOKENS_FILE];
}

/** Returns the token file for this start. The standard file may be made while the service runs. */
async function usedTokensFile(cli: Context): Promise<{ readonly tokensFile: string; readonly awaitsTokens: boolean }> {
  const named = namedTokensFile(cli);
  if (named !== undefined) return { tokensFile: named, awaitsTokens: false };
  const [{ existsSync }, { tokensPath }] = await Promise.all([
    import('node:fs'),
    import('../../../node/system/user-folder.ts'),
  ]);
  const tokensFile = tokensPath(cli.host.environment);
  return { tokensFile, awaitsTokens: !existsSync(tokensFile) };
}

function requestOf(cli: Context) {
  const { host: program, options, signal } = cli;
  const { environment } = program;
  return { tokensFile: namedTokensFile(cli), configFile: options.config, environment, signal, now: Date.now };
}

const tokenManager = () => import('../../http/access/manage.ts');

async function changeToken(name: string, cli: Context): Promise<number> {
  const { role, toolsets: named, profile, expiresIn, revoke, quiet, dryRun } = cli.options;
  const { screen } = cli;
  const { addToken, revokeToken } = await tokenManager();
  const request = { ...requestOf(cli), name, dryRun };
  if (revoke) {
    await revokeToken(request);
    if (dryRun) screen.note(`Dry run: ${sanitize(name)} would be revoked. Nothing was changed.`);
    else if (!quiet) screen.note(`${sanitize(name)} is revoked; a running service refuses it within a second.`);
    return 0;
  }
  if (role === undefined) {
    throw new UsageError('A token needs a role.', { hint: 'Add --role read, --role operate or --role admin.' });
  }
  const { token, path } = await addToken({ ...request, role, toolsets: named, profile, expiresIn });
  if (dryRun) {
    screen.note(`Dry run: a token ${sanitize(name)} with the role ${role} would be added to ${path}.`);
    return 0;
  }
  screen.result(token);
  if (!quiet) screen.note(`Keep it now: ${path} has only its SHA-256.`);
  return 0;
}

async function listTokens(cli: Context): Promise<number> {
  const { screen, format } = cli;
  const tokens = await (await tokenManager()).listTokens(requestOf(cli));
  if (isForPrograms(format)) screen.result(jsonText({ tokens }, screen.terminal));
  else if (tokens.length === 0) screen.note('There are no tokens. Make one with: aisec serve token NAME --role ROLE');
  else {
    const columns = ['name', 'role', 'toolsets', 'profile', 'created', 'expires'];
    const { printTables } = await import('../result/page.ts');
    await printTables('Tokens', [{ columns, rows: tokens.map(rowOf) }], cli);
  }
  return 0;
}

function rowOf({ name, role, toolsets: named, profile, created, expires, expired }: ShownToken): string[] {
  const end = expires === undefined ? '' : `${expires}${expired ? ' (expired)' : ''}`;
  return [name, role, named?.join(', ') ?? 'all', profile ?? '', created, end];
}
