/** Greets a person who opens the war room: names the tenant, and shows what needs attention above the prompt. */
import type { Interface } from 'node:readline';
import type { Log } from '../../../core/ports.ts';
import { newShared } from '../../../core/shared.ts';
import { type Configuration, HOW_TO_BEGIN, isUnset } from '../options/configuration.ts';
import { measureFor } from '../render/measure.ts';
import type { CliContext } from '../subcommand.ts';
import { type Banner, bannerLine } from '../views/banner.ts';
import { isProduction, sectionOf } from './prompt.ts';
import type { Session } from './session.ts';

interface Room {
  readonly cli: CliContext;
  readonly session: Session;
  /** Submits lines: the first command ends the greeting. */
  readonly lines: Interface;
  /** Ends the greeting with the room. */
  readonly closed: AbortSignal;
  /** The setting. */
  readonly isWanted: boolean;
}

/**
 * Shows the banner, and starts to read what needs attention.
 * @returns a function that ends the greeting, and resolves when it has ended
 */
export function startGreeting({ cli, session, lines, closed, isWanted }: Room): () => Promise<void> {
  const { options, screen } = cli;
  const { configuration } = session;
  const nothing = async () => undefined;
  if (options.quiet) return nothing;
  screen.note(bannerLine(factsOf(cli, configuration), screen.noteStyle));
  const begin = isUnset(configuration) ? `note: ${HOW_TO_BEGIN}` : howToBegin(configuration);
  if (!isWanted || !screen.redraws || !hasTenant(configuration)) {
    screen.note(begin);
    return nothing;
  }
  const ending = new AbortController();
  const submitted = (line: string) => {
    if (line.trim() !== '') ending.abort();
  };
  lines.on('line', submitted);
  // A greeting that fails is no reason to leave.
  const greeting = greet(cli, session, begin, AbortSignal.any([ending.signal, closed]))
    .catch(() => undefined)
    .finally(() => lines.off('line', submitted));
  return async () => {
    ending.abort();
    await greeting;
  };
}

function factsOf({ host }: CliContext, configuration: Configuration): Banner {
  const { settings, simulation } = configuration;
  return {
    version: host.version,
    profile: sectionOf(configuration),
    tenant: settings.tsg_id,
    url: settings.url,
    isSimulated: simulation !== undefined,
    isProduction: isProduction(configuration),
  };
}

/** Reports whether there is something to ask: a scanner's key alone lists nothing. */
function hasTenant({ settings: { url, client_id, client_secret, tsg_id } }: Configuration): boolean {
  return [url, client_id, client_secret, tsg_id].some((value) => (value ?? '') !== '');
}

function howToBegin({ settings }: Configuration): string {
  const first = settings.runtime_api_key === undefined ? 'redteam-scans-list' : 'runtime-scan prompt="hi"';
  return `Try ${first}, commands or help. Tab completes, exit leaves.`;
}

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

async function greet(
  { host, screen }: CliContext,
  session: Session,
  begin: string,
  signal: AbortSignal,
): Promise<void> {
  const [{ collectGreeting }, { commandRunner }, { greetingLines }, { clock }] = await Promise.all([
    import('../../../features/dashboard/greeting.ts'),
    import('./command-runner.ts'),
    import('../views/greeting.ts'),
    session.runtime(signal),
  ]);
  const own = { runtime: quietRuntimes(session), working: () => () => undefined };
  const greeting = await collectGreeting({ runner: (until) => commandRunner(host, own, until), clock, signal });
  if (greeting === undefined) return;
  const page = {
    // A terminal without a size reports 0 columns.
    width: host.stderr.columns || screen.width,
    style: screen.noteStyle,
    measure: await measureFor(greeting),
  };
  const lines = [...greetingLines(greeting, page), begin];
  if (!signal.aborted) screen.note(lines.join('\n'));
}

/** Creates runtimes that write nothing beside the prompt, and that try each request once; they share one token request. */
function quietRuntimes(session: Session): Session['runtime'] {
  const shared = newShared();
  while (shared.retryBudget.spend());
  return async (signal) => {
    const { progress: _, ...runtime } = await session.runtime(signal, false);
    return { ...runtime, log: SILENT, pageConcurrency: 1, shared };
  };
}
