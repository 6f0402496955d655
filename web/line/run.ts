/** Runs lines: each as a run of the room, and a deletion only after its question. */
import { signal } from '@preact/signals';
import { problemFrom, randomKey, sendJson } from '../api.ts';
import { roomOpened } from '../room/rooms.ts';
import { pathOf } from '../room/store.ts';
import { commands } from '../state.ts';
import type { Run } from '../types.ts';
import { askAbout } from './completion.ts';
import { isFormOpen, isListOpen, lineField, problem, remember, secrets, setLine, text } from './state.ts';
import { commandIn, inFull, withSecrets } from './text.ts';

/** The deletion that waits for an answer. */
export const question = signal<{ readonly line: string; readonly words: string; readonly seal: string } | undefined>(
  undefined,
);
/** Whether the line only shows what would change. */
export const isDry = signal(false);
export const isSending = signal(false);

/** Pauses before a line whose answer was lost is sent again with the same key, in milliseconds. */
const PAUSES = [500, 1500, 4000];

/**
 * Runs a line; asks first if it deletes something. Problems are shown at the line.
 * @returns the run; undefined after a problem, and for a question
 */
export async function runLine(typed: string, isDryRun = isDry.value): Promise<Run | undefined> {
  const line = inFull(typed, (name) => commands.value.has(name));
  if (line.trim() === '') return undefined;
  isListOpen.value = false;
  question.value = undefined;
  const deletes = commands.value.get(commandIn(line))?.effect === 'delete';
  return whileSending(() => (deletes && !isDryRun ? askFirst(line) : start(line, isDryRun)));
}

export function runText(): void {
  void runLine(text.value);
  selectLine();
}

/** Runs the deletion that waits. */
export async function confirmDeletion(): Promise<void> {
  const asked = question.value;
  if (asked === undefined) return;
  await whileSending(() => {
    question.value = undefined;
    return start(asked.line, false, asked.seal);
  });
}

/** Does one thing at a time with a line. */
async function whileSending(work: () => Promise<Run | undefined>): Promise<Run | undefined> {
  if (isSending.value) return undefined;
  isSending.value = true;
  problem.value = undefined;
  try {
    await roomOpened();
    return await work();
  } catch (thrown) {
    question.value = undefined;
    problem.value = problemFrom(thrown);
    return undefined;
  } finally {
    isSending.value = false;
  }
}

async function askFirst(line: string): Promise<Run | undefined> {
  const { question: words, seal } = await askAbout(sentLine(line), undefined, true);
  // The service refuses the arguments, and says why.
  if (words === null) return start(line, false, '');
  if (text.value !== line) setLine(line);
  question.value = { line, words, seal };
  return undefined;
}

/** @param seal of a confirmed deletion: the service refuses the line if it would now delete anything else */
async function start(line: string, isDryRun: boolean, seal?: string): Promise<Run> {
  const path = `${pathOf('lines')}${isDryRun ? '?dry_run=true' : ''}`;
  const headers = { prefer: 'respond-async', 'idempotency-key': randomKey() };
  const sent = sentLine(line);
  remember(line);
  for (let lost = 0; ; lost += 1) {
    try {
      const run = await sendJson<Run>(path, { method: 'POST', body: { line: sent, seal }, headers });
      // Another line must ask for its secret again.
      secrets.clear();
      // A phone has no room for the form and the result.
      if (innerWidth <= 700) isFormOpen.value = false;
      return run;
    } catch (thrown) {
      const pause = PAUSES[lost];
      if (problemFrom(thrown).code !== 'unreachable' || pause === undefined) throw thrown;
      await new Promise((done) => setTimeout(done, pause));
    }
  }
}

/** Returns a line with the secrets of the form. @throws Error if a secret has to be typed again */
function sentLine(line: string): string {
  const { properties = {} } = commands.peek().get(commandIn(line))?.inputSchema ?? {};
  const names = Object.keys(properties).filter((name) => properties[name]?.['writeOnly'] === true);
  const full = withSecrets(line, names, secrets);
  if (full === undefined)
    throw new Error('The line hides a secret that is no longer known: type it again in the form.');
  return full;
}

/** Selects the line: typing replaces it, and Enter repeats it. */
export function selectLine(): void {
  lineField.value?.focus();
  lineField.value?.select();
}
