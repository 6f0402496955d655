/** The war room: a prompt with history, completion and a context. */
import type { Interface } from 'node:readline';
import { fetchValues, liveValues } from '../../../client/completion/known-values.ts';
import { firstWord, fullName, isMarked, nearestCommand } from '../../../client/names/command-name.ts';
import { unfinishedName, withDashes } from '../../../client/names/spaced-name.ts';
import { UsageError } from '../../../core/errors.ts';
import { stopped } from '../../../core/stop.ts';
import type { Options } from '../line/cli-options.ts';
import { roomAsk } from '../line/confirm.ts';
import { endings, listenFor } from '../line/interrupt.ts';
import { keptOptions, roomOptions, splitLine } from '../line/line-options.ts';
import { optionTable } from '../line/options.ts';
import { checkOutputOptions } from '../line/output-options.ts';
import { openSession } from '../line/session.ts';
import { HOLDS_COMMANDS } from '../line/standard-input.ts';
import type { CliContext } from '../line/subcommand.ts';
import { execute } from '../result/execute.ts';
import { showDeferred } from '../result/print-long.ts';
import { type BuiltIns, builtInsOf, type RoomState } from './built-ins.ts';
import type { Completion } from './completion/completion.ts';
import { completeInRoom } from './completion/room-completion.ts';
import { type History, historyEntry, historyPath, maskedArguments, openHistory, takesContent } from './history.ts';
import { openLineEditor } from './line-editor.ts';
import { promptOf, welcome } from './prompt.ts';
import { Repl } from './repl.ts';

/** Runs the war room until the user leaves. @returns the exit code */
export async function runWarRoom(cli: CliContext): Promise<number> {
  const { host, options, screen, input } = cli;
  input.reserve(HOLDS_COMMANDS);
  // SIGINT is handled by the REPL: it stops the running command only.
  const ending = listenFor(endings(host), cli.onSignal);
  const closed = AbortSignal.any([screen.closed, ending.signal]);
  const session = await openSession({ ...cli, signal: ending.signal });
  const note = (text: string) => options.quiet || screen.note(text);
  const values = liveValues(async (lookup) => fetchValues(lookup, host.registry, await session.runtime(closed)));
  const builtIns = builtInsOf(cli.subcommands);
  const asTyped = (line: string) => withName(withoutProgram(line), builtIns, host);
  const history = openHistory(historyPath(host.environment), (problem) => note(`note: ${problem}`));
  let recalled = history.lines.toReversed();
  const state: RoomState = { cli, session, builtIns, values, recalled: () => recalled, lines: () => lines };
  const lines = openEditor(state);
  lines.on('history', (entries) => {
    recalled = entries;
  });
  const repl: Repl = new Repl({
    lines,
    prompt: promptOf(session.configuration, screen.noteStyle),
    isCommand: (line) => isCommandLine(asTyped(line), builtIns, host),
    output: outputOf(host),
    input: host.stdin,
    history: state.recalled,
    closed,
    answer: async (typed, signal, leave) => {
      await answer(asTyped(typed), state, history, signal, leave);
      await showLong(cli, repl, closed);
    },
  });
  screen.above = repl.writeAbove;
  try {
    welcome(cli, session.configuration);
    await repl.run();
    // When the terminal is gone, the input ends too, perhaps before the signal arrives.
    if (repl.isLost) cli.onSignal?.('SIGHUP');
    if (!ending.signal.aborted) return 0;
    await cli.report(stopped());
    return ending.exitCode();
  } finally {
    screen.above = undefined;
    ending.release();
    await session.close();
  }
}

/** Shows a long result in the pager, unless more lines wait: the pager would read them as keys. */
async function showLong({ host, screen }: CliContext, repl: Repl, closed: AbortSignal): Promise<void> {
  const { deferred } = screen;
  if (deferred === undefined) return;
  if (!repl.hasMore) return repl.lend(() => showDeferred(host, screen, closed));
  screen.deferred = undefined;
  screen.result(deferred.text);
}

/** As in a shell, the prompt is not part of the results. */
function outputOf({ stdout, stderr }: CliContext['host']) {
  return stderr.isTTY === true ? stderr : stdout;
}

/** Opens the line editor, with history and completion. */
function openEditor(state: RoomState): Interface {
  const { host } = state.cli;
  return openLineEditor({
    input: host.stdin,
    output: outputOf(host),
    history: state.recalled(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string, answer: (failure: null, completion: Completion) => void) => {
      completions(line, state).then(
        (completion) => answer(null, completion),
        () => answer(null, [[], line]),
      );
    },
  });
}

/** Keeps a line in the history, runs it, and reports its failure. */
async function answer(
  line: string,
  state: RoomState,
  history: History,
  signal: AbortSignal,
  leave: () => void,
): Promise<void> {
  const { host, subcommands, report } = state.cli;
  try {
    const isBuiltIn = Object.hasOwn(state.builtIns, firstWord(line));
    const { command, words } = isBuiltIn ? { command: line, words: [] } : splitLine(line, optionTable(subcommands));
    const catalogue = await host.catalogue();
    const kept = historyEntry(command, catalogue, Object.keys(state.builtIns));
    if (kept !== undefined) history.add(kept + keptOptions(words, takesContent(command, catalogue)));
    await answerLine(line, state, signal, leave);
    state.values.forget();
  } catch (thrown) {
    await report(thrown);
  }
}

async function completions(
  line: string,
  { cli: { host, subcommands }, session, values }: RoomState,
): Promise<Completion> {
  const scans = session.scans().map(({ scan_id }) => scan_id);
  const offers = { catalogue: await host.catalogue(), subcommands, known: values.known, scans };
  const offer = () => completeInRoom(withoutProgram(line), { ...offers, context: session.context() });
  offer();
  await values.settled();
  return offer();
}

async function answerLine(line: string, state: RoomState, signal: AbortSignal, leave: () => void): Promise<void> {
  const { cli, session, builtIns } = state;
  const table = optionTable(cli.subcommands);
  const text = line.trim();
  const [word = ''] = text.split(/\s/);
  if (Object.hasOwn(builtIns, word)) {
    return builtIns[word]?.run({ state, signal, leave }, text.slice(word.length).trim());
  }
  refuseUnknown(text, word, state);
  const { command, words } = splitLine(text, table);
  const chosen = optionsOf(await lineOptions(command, words, cli), cli);
  const ask = roomAsk(state.lines());
  await execute(command, { ...cli, ...chosen, session, ask, mode: 'war-room' }, signal);
}

/** Reads the options of a line. @throws UsageError with a hint about arguments that were typed as options */
async function lineOptions(command: string, words: readonly string[], { host, subcommands }: CliContext) {
  try {
    return roomOptions(words, optionTable(subcommands));
  } catch (thrown) {
    const { withArgumentHint } = await import('../line/names/option-argument.ts');
    throw await withArgumentHint(thrown, [command, ...words], host.registry, 'room');
  }
}

/** Adds the options of one line to the room's options. @throws UsageError for options that exclude each other */
function optionsOf(given: Partial<Options>, cli: CliContext): Pick<CliContext, 'options' | 'format'> {
  const options = { ...cli.options, ...given };
  const format = given.format ?? (given.jq !== undefined && cli.format === 'table' ? 'json' : cli.format);
  checkOutputOptions(options, format);
  return { options, format };
}

/** Hints and documents write lines for a shell: `aisec gate bulk run.jsonl`. */
function withoutProgram(line: string): string {
  return line.replace(/^\s*aisec\s+(?=[!a-z])/, '');
}

/** Converts a name typed with spaces to the form that the history and the command use. */
function withName(line: string, builtIns: BuiltIns, { registry }: CliContext['host']): string {
  return Object.hasOwn(builtIns, firstWord(line)) ? line : withDashes(line, registry);
}

/** Built-in commands win over short names. */
function isCommandLine(line: string, builtIns: BuiltIns, host: CliContext['host']): boolean {
  const word = firstWord(line);
  return isMarked(line) || (!Object.hasOwn(builtIns, word) && fullName(word, host.registry) !== undefined);
}

function refuseUnknown(text: string, word: string, { builtIns, cli: { host, subcommands } }: RoomState): void {
  if (!isCommandLine(text, builtIns, host)) {
    if (Object.hasOwn(subcommands, word)) {
      throw new UsageError(`aisec ${word} runs in a shell, not in the war room.`, {
        hint: `Leave with exit, or open another terminal, and run there: aisec ${word}`,
      });
    }
    const unfinished = unfinishedName(text.split(/\s+/), Object.keys(host.registry), 'help');
    if (unfinished !== undefined) throw unfinished;
    const near = nearestCommand(word, Object.keys(host.registry), Object.keys(builtIns));
    const hint = near ?? 'See what can be typed here with: help';
    throw new UsageError(`Unknown command "${word.slice(0, 60)}".`, { hint });
  }
  const [name] = maskedArguments(text);
  if (name === undefined) return;
  throw new UsageError(`${name} is masked (***) because the history does not keep its value.`, {
    hint: `Type the value again; ${name}="***" means three asterisks.`,
  });
}
