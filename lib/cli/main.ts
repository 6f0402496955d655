/** The terminal host: selects the mode from the command line and loads only its modules. */
import { setMaxListeners } from 'node:events';
import { UsageError } from '../engine/errors.ts';
import { firstWord, fullName, isMarked, nearest } from '../hosts/terminal/complete/command-name.ts';
import { type Environment, isInteractive, type TerminalHost } from '../hosts/terminal/host.ts';
import { HOLDS_COMMANDS, standardInput } from '../hosts/terminal/input/standard-input.ts';
import type { Execution } from '../hosts/terminal/modes/execute.ts';
import { endings, listenFor, STOPPED, stopped } from '../hosts/terminal/modes/interrupt.ts';
import { formatAskedFor, isDebugAskedFor, type Options, readOptions } from '../hosts/terminal/options/cli-options.ts';
import { OPTIONS } from '../hosts/terminal/options/options.ts';
import { checkOutputOptions, refuseForSubcommand } from '../hosts/terminal/options/output-options.ts';
import { SECRET_VARIABLES } from '../hosts/terminal/options/secret-variables.ts';
import { openScreen, type Screen } from '../hosts/terminal/render/screen.ts';
import type { CliContext } from '../hosts/terminal/subcommand.ts';
import { reporter } from '../hosts/terminal/views/failure.ts';
import { findSubcommand, isSubcommand, SUBCOMMANDS, type SubcommandName } from './subcommands.ts';

/** Time limit of the last flush after an interruption: the reader may not read. */
const LAST_FLUSH_MS = 500;

/**
 * Runs the program.
 * @returns the exit code; the process ends by itself, so that all output is flushed
 */
export async function main(started: TerminalHost): Promise<number> {
  const host = await withLineOptions(started);
  const asked = formatAskedFor(host.argv);
  const screen = openScreen(host, asked === 'table');
  screen.redact(() => environmentSecrets(host.environment));
  const { version } = host;
  let stoppedBy: NodeJS.Signals | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    stoppedBy = name;
  };
  const program = { version, debug: isDebugAskedFor(host.argv), secrets: screen.secrets, stoppedBy: () => stoppedBy };
  const report = reporter(asked, screen, program);
  try {
    const { options, positionals } = readOptions(host.argv);
    const format = asked ?? (screen.terminal && options.jq === undefined ? 'table' : 'json');
    checkOutputOptions(options, format);
    const code = await run(
      { host, options, format, screen, report, input: standardInput(host.stdin), onSignal },
      positionals,
    );
    await showDeferred(host, screen);
    await (code === STOPPED ? Promise.race([screen.flush(), atMost(LAST_FLUSH_MS)]) : screen.flush());
    return code;
  } catch (thrown) {
    return report(thrown);
  }
}

/** Takes options out of a quoted line; most command lines have none there. */
async function withLineOptions(host: TerminalHost): Promise<TerminalHost> {
  if (!host.argv.some((word) => /\s--[a-z]/.test(word))) return host;
  return (await import('../hosts/terminal/options/line-options.ts')).withLineOptions(host);
}

async function run(cli: CliContext, positionals: readonly string[]): Promise<number> {
  const { host, options, screen } = cli;
  const [first, ...words] = positionals;
  if (options.version) {
    screen.result(`aisec ${host.version}`);
    return 0;
  }
  refuseStrayOptions(options, first);
  if (options.help) return subcommand(cli, 'help', first === undefined ? [] : [firstWord(first)]);
  if (first === undefined && host.stdin.isTTY === true) {
    const { runWarRoom } = await import('../hosts/terminal/modes/war-room.ts');
    return runWarRoom(cli);
  }
  if (first !== undefined && isSubcommand(first)) return subcommand(cli, first, words);
  if (first !== undefined && !isMarked(first) && fullName(firstWord(first), host.registry) === undefined) {
    throw unknown(first, host);
  }
  return interruptible(cli, (signal) => runLines(cli, positionals, signal));
}

async function runLines(cli: CliContext, positionals: readonly string[], signal: AbortSignal): Promise<number> {
  const { host, options, screen, format, report, input } = cli;
  const oneShot = positionals.length > 0;
  if (!oneShot) input.reserve(HOLDS_COMMANDS);
  const invocation = oneShot
    ? (await import('../hosts/terminal/modes/one-shot.ts')).invocationOf(positionals)
    : undefined;
  const { openSession } = await import('../hosts/terminal/modes/session.ts');
  const session = await openSession(host, options, screen, { signal, input });
  try {
    const takesNames = oneShot && isInteractive(host);
    const execution: Execution = {
      host,
      session,
      screen,
      format,
      report,
      options,
      takesNames,
      mode: oneShot ? 'one-shot' : 'pipe',
    };
    if (invocation === undefined)
      return await (await import('../hosts/terminal/modes/pipe.ts')).runPipe(execution, options, signal);
    return await (await import('../hosts/terminal/modes/execute.ts')).execute(invocation, execution, signal);
  } finally {
    await session.close();
  }
}

async function subcommand(cli: CliContext, name: SubcommandName, words: readonly string[]): Promise<number> {
  // `aisec apply --dry-run --help` asks about the option.
  const typed = cli.options.help ? { ...cli.options, dryRun: false } : cli.options;
  const { run: start, untilStopped } = findSubcommand(name, words, typed);
  refuseForSubcommand(name, cli.options, cli.format);
  return interruptible(cli, (signal) => start({ ...cli, signal }), untilStopped);
}

/** Runs work that signals can stop. @param untilStopped a stop is the normal end of the work */
async function interruptible(
  { host, screen, report, onSignal }: CliContext,
  work: (signal: AbortSignal) => Promise<number>,
  untilStopped = false,
): Promise<number> {
  const interrupt = listenFor(['SIGINT', ...endings(host)], onSignal);
  try {
    const signal = AbortSignal.any([interrupt.signal, screen.closed]);
    // Every pending request listens to it, and there may be many.
    setMaxListeners(0, signal);
    const code = await work(signal).catch(report);
    if (untilStopped || !interrupt.signal.aborted) return code;
    // A calling script must stop too, even if the work was already done.
    return code === 0 ? await report(stopped()) : STOPPED;
  } finally {
    interrupt.release();
  }
}

/** Shows a long result in the pager; if that does not start, as it is. */
async function showDeferred(host: TerminalHost, screen: Screen): Promise<void> {
  const deferred = screen.deferred();
  if (deferred === undefined) return;
  const { page } = await import('../hosts/terminal/render/pager.ts');
  if (!(await page(deferred.text, deferred.pager, host))) screen.result(deferred.text);
}

function atMost(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

/** Reads secrets from the environment: they are redacted even if the settings cannot be read. */
function environmentSecrets(environment: Environment): string[] {
  return SECRET_VARIABLES.map((name) => environment[name] ?? '');
}

function refuseStrayOptions({ optionNames, simulate }: Options, first: string | undefined): void {
  for (const name of optionNames) {
    const of = OPTIONS[name]?.of;
    const fits =
      of === undefined || of.includes(first ?? '') || (simulate && of.includes('simulate') && name !== 'port');
    if (!fits) throw new UsageError(`Option --${name} belongs to: aisec ${of.join(', aisec ')}.`);
  }
}

function unknown(word: string, { registry }: TerminalHost): UsageError {
  const near = nearest(firstWord(word), Object.keys(registry), Object.keys(SUBCOMMANDS));
  return new UsageError(`"${word.slice(0, 60)}" is neither a subcommand nor a command.`, {
    hint: near ?? 'See all commands with: aisec commands; subcommands with: aisec --help',
  });
}
