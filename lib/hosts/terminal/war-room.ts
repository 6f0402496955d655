/** The war room: a prompt with history and completion, and a context that lives while it is open. */
import { createInterface } from 'node:readline';
import { didYouMean } from '../../arguments/suggest.ts';
import { UsageError } from '../../errors.ts';
import { BUILT_IN_NAMES, BUILT_INS, type Room } from './built-ins.ts';
import { type Completion, complete } from './completion.ts';
import { converse } from './conversation.ts';
import { type Execution, execute } from './execute.ts';
import { historyPath, openHistory } from './history.ts';
import { endings, listenFor, stopped } from './interrupt.ts';
import { leftOutIn, remembered } from './remembered.ts';
import { openSession, type Session } from './session.ts';
import type { Started } from './subcommand.ts';

/** Runs the war room until its user leaves. @returns the exit code */
export async function runWarRoom(started: Started): Promise<number> {
  const { host, options, screen } = started;
  // Ctrl-C is a matter of the conversation, and ends nothing but a command.
  const ending = listenFor(endings(host));
  const session = await openSession(host, options, screen);
  const note = (text: string) => options.quiet || screen.note(text);
  const history = openHistory(historyPath(host.environment), (problem) => note(`note: ${problem}`));
  const lines = createInterface({
    input: host.stdin,
    // Like a shell: the prompt is no result.
    output: host.stderr.isTTY === true ? host.stderr : host.stdout,
    terminal: true,
    history: history.lines.toReversed(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string, answer: (failure: null, completion: Completion) => void) => {
      offer(line, started, session).then(
        (completion) => answer(null, completion),
        () => answer(null, [[], line]),
      );
    },
  });
  note(`aisec ${host.version}. "help" lists what can be typed here, Tab completes, "exit" leaves.`);
  const answer = async (line: string, signal: AbortSignal, leave: () => void) => {
    try {
      const kept = remembered(line, await host.catalogue(), BUILT_IN_NAMES);
      if (kept !== undefined) history.add(kept);
      await answerLine(line, started, session, signal, leave);
    } catch (thrown) {
      await started.report(thrown);
    }
  };
  try {
    const prompt = `${screen.noteStyle.bold(options.simulate ? 'aisec (simulated)' : 'aisec')}> `;
    await converse({ lines, prompt, closed: AbortSignal.any([screen.closed, ending.signal]), answer });
    return ending.signal.aborted ? await started.report(stopped()) : 0;
  } finally {
    ending.release();
    await session.close();
  }
}

async function offer(line: string, { host }: Started, session: Session): Promise<Completion> {
  const follows = Object.fromEntries(Object.entries(BUILT_INS).map(([name, { completes }]) => [name, completes]));
  return complete(line, await host.catalogue(), session.context(), follows);
}

async function answerLine(
  line: string,
  { host, options, format, screen, report }: Started,
  session: Session,
  signal: AbortSignal,
  leave: () => void,
): Promise<void> {
  const text = line.trim();
  const [word = ''] = text.split(/\s/);
  if (Object.hasOwn(BUILT_INS, word)) {
    const room: Room = { screen, catalogue: host.catalogue, context: session.context, leave };
    return BUILT_INS[word]?.run(room, text.slice(word.length).trim());
  }
  refuseForeign(text, word);
  const execution: Execution = { host, session, screen, format, report, quiet: options.quiet, last: false };
  await execute(text, execution, signal);
}

function refuseForeign(text: string, word: string): void {
  if (!/^(?:!|aisec-)/.test(text)) {
    const hint = didYouMean(word, BUILT_IN_NAMES) ?? 'Commands begin with an exclamation mark: !aisec-...';
    throw new UsageError(`"${word.slice(0, 60)}" means nothing here.`, { hint });
  }
  const [name] = leftOutIn(text);
  if (name === undefined) return;
  throw new UsageError(`${name} stands as *** because the history does not keep its value.`, {
    hint: `Type the value again; ${name}="***" means three asterisks.`,
  });
}
