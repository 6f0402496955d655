/** The line: its text, the field that shows it, and the lines before it. */
import { computed, signal } from '@preact/signals';
import { heads } from '../room/store.ts';
import { goTo } from '../state.ts';
import type { Problem } from '../types.ts';

export const text = signal('');
export const problem = signal<Problem | undefined>(undefined);
/** Whether offers may be shown: something was typed since the list was closed. */
export const isListOpen = signal(false);
export const isFormOpen = signal(false);
/** Whether the form shall take the focus when it is shown. */
export const isFormWanted = signal(false);
export const dialog = signal<'commands' | 'history' | 'keys' | undefined>(undefined);

/** Secrets that are typed into the form, by command and argument; they stay in memory until the line has run. */
export const secrets = new Map<string, string>();

/** The field, while it is shown. */
export const lineField = signal<HTMLTextAreaElement | null>(null);
/** On a touch screen, the focus would open the keyboard. */
const isTouched = matchMedia('(pointer: coarse)').matches;

/** Remembers the field of the line, and moves the focus into it. */
export function showField(shown: HTMLTextAreaElement | null): void {
  lineField.value = shown;
  isListOpen.value = false;
  // The form may have taken the focus already.
  if (!isTouched && document.activeElement?.closest('.line') === null) shown?.focus();
}

/** Moves the focus into the line; from another view, the room opens first. */
export function focusLine(): void {
  if (lineField.value === null) goTo('room');
  lineField.value?.focus();
}

/** Replaces the line; the cursor is at its end. */
export function setLine(line: string): void {
  replaceText(0, text.value.length, line);
  problem.value = undefined;
  isListOpen.value = false;
}

export function putIntoLine(inserted: string): void {
  const { selectionStart = text.value.length, selectionEnd = selectionStart } = lineField.value ?? {};
  replaceText(selectionStart, selectionEnd, inserted);
}

/** Replaces a part of the line, so that the browser can undo it. */
export function replaceText(start: number, end: number, inserted: string): void {
  focusLine();
  const field = lineField.value;
  if (field === null) {
    text.value = text.value.slice(0, start) + inserted + text.value.slice(end);
    return;
  }
  // A change of the form may not be drawn yet.
  if (field.value !== text.value) field.value = text.value;
  field.setSelectionRange(start, end);
  // Nothing else changes a field with the browser's undo. It sends an input event.
  // oxlint-disable-next-line typescript/no-deprecated
  document.execCommand(inserted === '' ? 'delete' : 'insertText', false, inserted);
}

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
