/** The lines that were run in the room, for Up, Down and the search. */
import { computed, signal } from '@preact/signals';
import { heads } from '../room/store.ts';
import { setLine, text } from './state.ts';

/** Lines of this tab as they were typed; the service masks secrets. */
const own = signal<readonly string[]>([]);

/** Lines, the newest first, each once. */
export const past = computed<readonly string[]>(() => {
  const lines = [...heads.value.map(({ line }) => line), ...own.value].toReversed();
  // The service adds the mark that a line may begin with.
  return [...new Map(lines.map((line) => [line.replace(/^\s*!/, ''), line])).values()];
});

/** Place of the shown line; -1 is the line that is being typed. */
let at = -1;
let draft = '';

/** Remembers a line that is run. */
export function remember(line: string): void {
  at = -1;
  own.value = [...own.value.filter((each) => each !== line), line];
}

/** Reports whether the line is one of the history, as it was. */
export function isRecalled(): boolean {
  return at >= 0 && past.value[at] === text.value;
}

/** Shows an older line, or with -1 a newer one. @returns false at the end */
export function recall(steps: 1 | -1): boolean {
  if (!isRecalled()) at = -1;
  // The line that was just run is the first of the history.
  const isLast = at < 0 && steps > 0 && past.value[0] === text.value;
  const next = at + steps + (isLast ? 1 : 0);
  if (next < -1 || next >= past.value.length) return false;
  if (at < 0) draft = text.value;
  at = next;
  setLine(past.value[at] ?? draft);
  return true;
}
