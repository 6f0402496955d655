/** The line: its text, how the service understands it, and the field that shows it. */
import { effect, signal } from '@preact/signals';
import { room } from '../room/store.ts';
import { goTo, login } from '../state.ts';
import type { Problem } from '../types.ts';
import type { Pair } from './text.ts';

export const text = signal('');
export const problem = signal<Problem | undefined>(undefined);
export const isFormOpen = signal(false);
/** Whether the form shall take the focus when it is shown. */
export const isFormWanted = signal(false);
/** What the dialogs over the page show. */
export const dialog = signal<'commands' | 'history' | 'keys' | undefined>(undefined);

/** How the service, or the form, understands the line. */
export interface Understood {
  /** The line that was understood; the text may be newer. */
  readonly line: string;
  readonly command: string | null;
  readonly arguments: readonly Pair[];
}
export const understood = signal<Understood>({ line: '', command: null, arguments: [] });

/** Secrets that are typed into the form, by argument; they stay in memory. */
export const secrets = new Map<string, string>();

// The next person at this tab must not find the line of the person before.
effect(() => {
  if (login.value !== 'out') return;
  secrets.clear();
  text.value = '';
  isFormOpen.value = false;
  dialog.value = undefined;
});

let field: HTMLTextAreaElement | undefined;
/** Whether the field shall have the focus as soon as it is shown. */
let isWanted = false;

/** Remembers the field of the line. */
export function showField(shown: HTMLTextAreaElement | null): void {
  field = shown ?? undefined;
  // The form may have taken the focus already.
  if (isWanted && document.activeElement === document.body) focusLine();
  isWanted = false;
}

export function lineField(): HTMLTextAreaElement | undefined {
  return field;
}

/** Moves the focus into the line; from another view, the room opens first. */
export function focusLine(): void {
  isWanted = field === undefined;
  field?.focus();
  if (!isWanted) return;
  const id = room.peek();
  goTo('room', ...(id === undefined ? [] : [id]));
}

/** Replaces the line; the cursor is at its end. */
export function setLine(line: string): void {
  text.value = line;
  problem.value = undefined;
  focusLine();
  if (field === undefined) return;
  // Rendering is later; the cursor needs the text now.
  field.value = line;
  field.setSelectionRange(line.length, line.length);
  for (const call of listeners) call();
}

/** Inserts a text at the cursor. @public */
export function putIntoLine(inserted: string): void {
  const start = field?.selectionStart ?? text.value.length;
  const end = field?.selectionEnd ?? text.value.length;
  replaceText(start, end, inserted);
}

/** Replaces a part of the line, so that the browser can undo it. */
export function replaceText(start: number, end: number, inserted: string): void {
  if (field === undefined) {
    setLine(text.value.slice(0, start) + inserted + text.value.slice(end));
    return;
  }
  field.focus();
  field.setSelectionRange(start, end);
  // Nothing else changes a field with the browser's undo. It sends an input event.
  // oxlint-disable-next-line typescript/no-deprecated
  const isDone = document.execCommand(inserted === '' ? 'delete' : 'insertText', false, inserted);
  if (isDone) return;
  field.setRangeText(inserted, start, end, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

const listeners = new Set<() => void>();
/** Calls back when something other than the keyboard has replaced the line. */
export function whenSet(call: () => void): void {
  listeners.add(call);
}
