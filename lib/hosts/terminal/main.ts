/** The terminal host: chooses what the command line asks for, and loads that alone. */
import { setMaxListeners } from 'node:events';
import { didYouMean } from '../../arguments/suggest.ts';
import { UsageError } from '../../errors.ts';
import { SETTINGS } from '../../settings/parameters.ts';
import { formatAskedFor, isDebugAskedFor, type Options, readOptions } from './cli-options.ts';
import type { Execution } from './execute.ts';
import { reporter } from './failure.ts';
import type { Environment, TerminalHost } from './host.ts';
import { endings, listenFor, STOPPED, stopped } from './interrupt.ts';
import { OPTIONS } from './options.ts';
import { openScreen } from './screen.ts';
import type { Started } from './subcommand.ts';
import { SUBCOMMANDS } from './subcommands.ts';

/** Whoever stopped the program does not wait for a reader who does not read. */
const LAST_WORDS_MS = 500;

/**
 * Runs the program.
 * @returns the exit code; the process is left to end by itself, so that everything written arrives
 */
export async function main(host: TerminalHost): Promise<number> {
  const screen = openScreen(host);
  const format = formatAskedFor(host.argv) ?? (screen.terminal ? 'table' : 'json');
  screen.conceal(() => environmentSecrets(host.environment));
  const { version } = host;
  const report = reporter(format, screen, { version, debug: isDebugAskedFor(host.argv), secrets: screen.secrets });
  try {
    const { options, positionals } = readOptions(host.argv);
    const code = await run({ host, options, format, screen, report }, positionals);
    await (code === STOPPED ? Promise.race([screen.flush(), atMost(LAST_WORDS_MS)]) : screen.flush());
    return code;
  } catch (thrown) {
    return report(thrown);
  }
}

async function run(started: Started, positionals: readonly string[]): Promise<number> {
  const { host, options, screen } = started;
  const [first, ...words] = positionals;
  if (options.version) {
    screen.result(`aisec ${host.version}`);
    return 0;
  }
  refuseStrayOptions(options, first);
  if (options.help) return subcommand(started, 'help', first === undefined ? [] : [nameOf(first)]);
  if (first === undefined && host.stdin.isTTY === true) {
    const { runWarRoom } = await import('./war-room.ts');
    return runWarRoom(started);
  }
  if (first !== undefined && Object.hasOwn(SUBCOMMANDS, first)) return subcommand(started, first, words);
  if (first !== undefined && !/^\s*(!|aisec-)/.test(first)) throw unknown(first);
  return interruptible(started, (signal) => runLines(started, positionals, signal));
}

async function runLines(started: Started, positionals: readonly string[], signal: AbortSignal): Promise<number> {
  const { host, options, screen, format, report } = started;
  const oneShot = positionals.length > 0;
  const invocation = oneShot ? (await import('./one-shot.ts')).invocationOf(positionals) : undefined;
  const { openSession } = await import('./session.ts');
  const session = await openSession(host, options, screen);
  try {
    const execution: Execution = { host, session, screen, format, report, quiet: options.quiet, last: oneShot };
    if (invocation === undefined) return await (await import('./pipe.ts')).runPipe(execution, options, signal);
    return await (await import('./execute.ts')).execute(invocation, execution, signal);
  } finally {
    await session.close();
  }
}

async function subcommand(started: Started, name: string, words: readonly string[]): Promise<number> {
  const found = SUBCOMMANDS[name];
  if (found === undefined) throw unknown(name);
  if (words.length > found.words) {
    throw new UsageError(`"${words.slice(found.words).join(' ').slice(0, 60)}" is too much for aisec ${name}.`, {
      hint: `Usage: aisec ${found.usage}`,
    });
  }
  const start = await found.load();
  const work = (signal: AbortSignal) => start({ ...started, subcommands: SUBCOMMANDS, words, signal });
  return interruptible(started, work, found.untilStopped);
}

/** @param untilStopped being stopped is how the work ends */
async function interruptible(
  { host, screen, report }: Started,
  work: (signal: AbortSignal) => Promise<number>,
  untilStopped = false,
): Promise<number> {
  const interrupt = listenFor(['SIGINT', ...endings(host)]);
  try {
    const signal = AbortSignal.any([interrupt.signal, screen.closed]);
    // Every request under way listens to it, and there may be many at once.
    setMaxListeners(0, signal);
    const code = await work(signal).catch(report);
    if (untilStopped || !interrupt.signal.aborted) return code;
    // What calls this program is not to go on, even where the work was just done.
    return code === 0 ? await report(stopped()) : STOPPED;
  } finally {
    interrupt.release();
  }
}

function atMost(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

/** Known before any settings are read, and even where they cannot be. */
function environmentSecrets(environment: Environment): string[] {
  const secrets = Object.values(SETTINGS).filter(({ kind }) => kind === 'secret');
  return secrets.map((setting) => environment[setting.environment] ?? '');
}

function nameOf(word: string): string {
  return word.trim().split(/\s/)[0] ?? word;
}

function refuseStrayOptions({ given, simulate }: Options, first: string | undefined): void {
  for (const name of given) {
    const of = OPTIONS[name]?.of;
    const fits =
      of === undefined || of.includes(first ?? '') || (simulate && of.includes('simulate') && name !== 'port');
    if (!fits) throw new UsageError(`Option --${name} belongs to: aisec ${of.join(', aisec ')}.`);
  }
}

function unknown(word: string): UsageError {
  const near = didYouMean(word, Object.keys(SUBCOMMANDS));
  return new UsageError(`"${word.slice(0, 60)}" is neither a subcommand nor a command.`, {
    hint: near ?? "Commands begin with !aisec-: aisec '!aisec-... name=value'. See all with: aisec commands",
  });
}
