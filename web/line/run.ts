/** Runs lines: each as a run of the room, and a deletion only after its question. */
import { signal } from '@preact/signals';
import { ApiError, problemFrom, randomKey, sendJson } from '../api.ts';
import { createRoom } from '../room/rooms.ts';
import { room } from '../room/store.ts';
import { commands, goTo } from '../state.ts';
import type { Run } from '../types.ts';
import { askAbout, closeList } from './completion.ts';
import { remember } from './history.ts';
import { lineField, problem, secrets, setLine, text } from './state.ts';
import { commandIn, inFull, withSecrets } from './text.ts';

/** The deletion that waits for an answer. */
export const question = signal<{ readonly line: string; readonly words: string } | undefined>(undefined);
/** Whether the line only shows what would change. */
export const isDry = signal(false);
/** The line that is being sent. */
export const sending = signal<string | undefined>(undefined);

/** Pauses before a line whose answer was lost is sent again with the same key, in milliseconds. */
const PAUSES = [500, 1500, 4000];

export interface HowToRun {
  readonly dryRun?: boolean;
}

/**
 * Runs a line; asks first if it deletes something. Problems are shown at the line.
 * @returns the run; undefined after a problem, and for a question
 */
export async function runLine(typed: string, { dryRun = false }: HowToRun = {}): Promise<Run | undefined> {
  const line = inFull(typed, (name) => commands.value.has(name));
  if (line.trim() === '') return undefined;
  closeList();
  question.value = undefined;
  const deletes = commands.value.get(commandIn(line))?.effect === 'delete';
  return whileSending(line, (id) => (deletes && !dryRun ? askFirst(id, line) : start(id, line, dryRun)));
}

/** Runs what the line has. */
export function runText(): void {
  void runLine(text.value, { dryRun: isDry.value });
  selectLine();
}

/** Runs the deletion that waits, unless the question has changed in the meantime. */
export async function confirmDeletion(): Promise<void> {
  const asked = question.value;
  if (asked === undefined) return;
  await whileSending(asked.line, async (id) => {
    await askFirst(id, asked.line);
    if (question.peek()?.words !== asked.words) return undefined;
    question.value = undefined;
    return start(id, asked.line, false);
  });
}

/** Does one thing at a time with a line. */
async function whileSending(line: string, work: (id: string) => Promise<Run | undefined>): Promise<Run | undefined> {
  if (sending.value !== undefined) return undefined;
  sending.value = line;
  problem.value = undefined;
  try {
    return await work(await openRoom());
  } catch (thrown) {
    question.value = undefined;
    problem.value = problemFrom(thrown);
    return undefined;
  } finally {
    sending.value = undefined;
  }
}

async function askFirst(id: string, line: string): Promise<undefined> {
  const { question: words } = await askAbout(id, withSecrets(line, secrets), line.length);
  if (text.value !== line) setLine(line);
  // Without a question the service refuses the arguments, but only it can know.
  question.value = { line, words: words ?? `Run ${commandIn(line)}, which deletes?` };
}

async function start(id: string, line: string, dryRun: boolean): Promise<Run> {
  const path = `/v1/sessions/${encodeURIComponent(id)}/lines${dryRun ? '?dry_run=true' : ''}`;
  const headers = { prefer: 'respond-async', 'idempotency-key': randomKey() };
  remember(line);
  for (let lost = 0; ; lost += 1) {
    try {
      return await sendJson<Run>(path, { method: 'POST', body: { line: withSecrets(line, secrets) }, headers });
    } catch (thrown) {
      const isLost = thrown instanceof ApiError && thrown.problem.code === 'unreachable';
      const pause = PAUSES[lost];
      if (!isLost || pause === undefined) throw thrown;
      await new Promise((done) => setTimeout(done, pause));
    }
  }
}

/** Selects the line: typing replaces it, and Enter repeats it. */
export function selectLine(): void {
  const field = lineField();
  field?.focus();
  field?.select();
}

/** Returns the open room, or opens one. */
async function openRoom(): Promise<string> {
  const known = room.peek();
  if (known !== undefined) return known;
  const id = await createRoom();
  goTo('room', id);
  return id;
}
