/** The program: selects a subcommand or a mode of the terminal from the command line, and loads only its modules. */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { firstWord, fullName, isMarked, nearestCommand } from '../../../client/names/command-name.ts';
import type { ReportPages } from '../../../client/report-pages.ts';
import { UsageError } from '../../../core/errors.ts';
import { stopped } from '../../../core/stop.ts';
import { formatAskedFor, isDebugAskedFor, type Options, readOptions, tenantOptions } from '../line/cli-options.ts';
import { endings, isStopCode, listenFor } from '../line/interrupt.ts';
import { type OptionTable, optionTable, SECRET_VARIABLES, SIMULATION } from '../line/options.ts';
import { checkOutputOptions, refuseForSubcommand } from '../line/output-options.ts';
import { standardInput } from '../line/standard-input.ts';
import { type CliContext, checkSubcommandLine, type ResultViews, type Subcommands } from '../line/subcommand.ts';
import { reporter } from '../result/failure.ts';
import { showDeferred } from '../result/print-long.ts';
import type { TerminalHost } from '../ui/host.ts';
import { Screen } from '../ui/screen.ts';

export { isStopCode };

/** Time limit of the last flush after an interruption, because the reader may not be reading. */
const LAST_FLUSH_MS = 500;

/** Features passed to the program, because a host imports no feature. */
export interface Program {
  readonly subcommands: Subcommands;
  readonly views: ResultViews;
  readonly reportPages: ReportPages;
}

/**
 * Runs the program.
 * @returns the exit code; the process ends by itself, so that all output is flushed
 */
export async function main(host: TerminalHost, program: Program): Promise<number> {
  const table = optionTable(program.subcommands);
  const asked = formatAskedFor(host.argv);
  const screen = new Screen(host, asked === 'table');
  // Redact secrets even if the settings cannot be read.
  screen.redact(() => SECRET_VARIABLES.map((name) => host.environment[name] ?? ''));
  let stoppedBy: NodeJS.Signals | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    stoppedBy = name;
    host.onStop?.(name);
  };
  const report = reporter(asked, screen, {
    version: host.version,
    debug: isDebugAskedFor(host.argv),
    secrets: screen.secrets,
    stoppedBy: () => stoppedBy,
  });
  try {
    const { options, positionals } = await parsed(host, table, screen);
    const inRoom = positionals.length === 0 && host.stdin.isTTY === true;
    screen.shell = inRoom ? { dialect: 'room', options: [] } : { ...screen.shell, options: tenantOptions(options) };
    refuseStrayOptions(options, positionals[0], table);
    const format = asked ?? (screen.terminal && options.jq === undefined ? 'table' : 'json');
    checkOutputOptions(options, format);
    const code = await run(
      {
        ...program,
        host,
        options,
        format,
        screen,
        report,
        input: standardInput(host.stdin),
        onSignal,
      },
      positionals,
    );
    await showDeferred(host, screen);
    const flushed = screen.flush();
    await (isStopCode(code) ? Promise.race([flushed, pause(LAST_FLUSH_MS, undefined, { ref: false })]) : flushed);
    return code;
  } catch (thrown) {
    return report(thrown);
  }
}

/** Parses the command line. @throws UsageError with a hint about arguments that were typed as options */
async function parsed(host: TerminalHost, table: OptionTable, { shell }: Screen) {
  try {
    return readOptions(host.argv, table);
  } catch (thrown) {
    const { withArgumentHint } = await import('../line/names/option-argument.ts');
    const error = await withArgumentHint(thrown, host.argv, host.registry, shell.dialect);
    if (error instanceof UsageError && error.argument !== undefined)
      error.hint ??= 'See all options with: aisec --help';
    throw error;
  }
}

async function run(cli: CliContext, positionals: readonly string[]): Promise<number> {
  const { host, options, screen, subcommands } = cli;
  const [first, ...words] = positionals;
  if (options.version) {
    screen.result(`aisec ${host.version}`);
    return 0;
  }
  if (options.help) return subcommand(cli, 'help', helpWords(positionals, subcommands));
  if (first === undefined && host.stdin.isTTY === true) {
    const { runWarRoom } = await import('../room/war-room.ts');
    return runWarRoom(cli);
  }
  if (first !== undefined && Object.hasOwn(subcommands, first)) return subcommand(cli, first, words);
  const line = first === undefined ? positionals : await namedLine(positionals, cli);
  const { runLines } = await import('./pipe.ts');
  return interruptible(cli, (signal) => runLines(cli, line, signal), { decides: options.exitCode });
}

/** Returns the words to show help for: the words of a name, without arguments. */
function helpWords([first, ...rest]: readonly string[], subcommands: Subcommands): readonly string[] {
  if (first === undefined) return [];
  if (Object.hasOwn(subcommands, first)) return [first];
  const words = [...first.trim().split(/\s+/), ...rest];
  const end = words.findIndex((word) => word.includes('='));
  return end < 0 ? words : words.slice(0, Math.max(end, 1));
}

/** Joins the words that spell a command. @throws UsageError for words that name no command */
async function namedLine(positionals: readonly string[], cli: CliContext): Promise<readonly string[]> {
  const { host } = cli;
  const [first = ''] = positionals;
  if (fullName(firstWord(first), host.registry) !== undefined) return positionals;
  const { withNameJoined } = await import('../../../client/names/spaced-name.ts');
  const line = withNameJoined(positionals, host.registry);
  if (isMarked(line[0] ?? '') || fullName(firstWord(line[0] ?? ''), host.registry) !== undefined) return line;
  throw await unknown(positionals, cli);
}

async function subcommand(cli: CliContext, name: string, words: readonly string[]): Promise<number> {
  const found = cli.subcommands[name];
  if (found === undefined) return 0;
  // `aisec apply --dry-run --help` asks about the option.
  const typed = cli.options.help ? { ...cli.options, dryRun: false } : cli.options;
  checkSubcommandLine(name, found, { words, options: typed });
  refuseForSubcommand(name, cli.options, cli.format);
  const work = (signal: AbortSignal) => found.run({ ...cli, words, signal });
  const decides = typed.exitCode || found.decides?.(typed) === true;
  return interruptible(cli, work, { untilStopped: found.untilStopped, decides });
}

/**
 * Runs work that signals can stop, and a closed reader too, unless the exit code is a verdict. @param kind
 * `untilStopped`: a stop is the normal end of the work; `decides`: the exit code is a verdict
 */
async function interruptible(
  { host, screen, report, onSignal }: CliContext,
  work: (signal: AbortSignal) => Promise<number>,
  { untilStopped = false, decides }: { untilStopped?: boolean | undefined; decides: boolean },
): Promise<number> {
  const interrupt = listenFor(['SIGINT', ...endings(host)], onSignal);
  try {
    const signal = AbortSignal.any([interrupt.signal, ...(decides ? [] : [screen.closed])]);
    // Every pending request listens to the signal, and there may be many.
    setMaxListeners(0, signal);
    const code = await work(signal).catch(report);
    if (!interrupt.signal.aborted || (untilStopped && !isStopCode(code))) return code;
    // A calling script must stop too, even if the work was already done.
    if (code === 0) await report(stopped());
    return interrupt.exitCode();
  } finally {
    interrupt.release();
  }
}

function refuseStrayOptions({ optionNames, simulate }: Options, first: string | undefined, table: OptionTable): void {
  for (const name of optionNames) {
    const { of, property = '' } = table[name] ?? {};
    if (of === undefined || of.includes(first ?? '') || (simulate && Object.hasOwn(SIMULATION, property))) continue;
    throw new UsageError(`Option --${name} belongs to: aisec ${of.join(', aisec ')}.`);
  }
}

async function unknown(positionals: readonly string[], { host, subcommands }: CliContext): Promise<UsageError> {
  const { unfinishedName } = await import('../../../client/names/spaced-name.ts');
  const names = Object.keys(host.registry);
  const words = positionals.flatMap((word, at) => (at === 0 ? word.trim().split(/\s+/) : [word]));
  const [word = ''] = words;
  const near = nearestCommand(word, names, Object.keys(subcommands));
  return (
    unfinishedName(words, names, 'aisec help') ??
    new UsageError(`"${word.slice(0, 60)}" is neither a subcommand nor a command.`, {
      hint: near ?? 'See all commands with: aisec commands; subcommands with: aisec --help',
    })
  );
}
