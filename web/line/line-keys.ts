/** What the keys of the line do. */
import { commands } from '../state.ts';
import { closeList, completeSoon, list, moveChoice, takeOffer } from './completion.ts';
import { isRecalled, recall } from './history.ts';
import { runText } from './run.ts';
import { lineField, replaceText } from './state.ts';
import { inFull } from './text.ts';

/** Writes a short name in full once it is typed. @returns whether the line has changed */
export function expandName({ value, selectionStart }: HTMLTextAreaElement): boolean {
  const full = inFull(value, (name) => commands.value.has(name));
  if (full === value || selectionStart !== value.length || !/\S\s/.test(value)) return false;
  replaceText(0, value.length, full);
  return true;
}

/** Does what a key of the line does. */
export function onKey(event: KeyboardEvent): void {
  // Enter and arrows belong to an input method while it composes.
  if (event.isComposing) return;
  const handled = KEYS[event.key]?.(event) ?? false;
  if (handled) event.preventDefault();
}

/** The offers belong to the place that the cursor leaves. */
function leave(): boolean {
  closeList();
  return false;
}

/** What the keys of the line do. They return true if the browser shall not do more. */
const KEYS: Readonly<Record<string, (event: KeyboardEvent) => boolean>> = {
  Enter: ({ shiftKey, ctrlKey, metaKey, repeat }) => {
    const chosen = list.value?.offers[list.value.active];
    if (shiftKey) return false;
    if (chosen !== undefined && !ctrlKey && !metaKey) takeOffer(chosen);
    else if (!repeat) runText();
    return true;
  },
  Tab: ({ shiftKey }) => {
    const open = list.value;
    const chosen = open?.offers[Math.max(0, open.active)];
    if (chosen === undefined || shiftKey) return false;
    takeOffer(chosen);
    return true;
  },
  ...Object.fromEntries(['ArrowLeft', 'ArrowRight', 'Home', 'End'].map((key) => [key, leave])),
  Escape: () => {
    const isOpen = list.value !== undefined;
    closeList();
    return isOpen;
  },
  ' ': ({ ctrlKey }) => {
    if (ctrlKey) completeSoon();
    return ctrlKey;
  },
  ArrowDown: (event) => {
    if (list.value === undefined) return isPlain(event) && isAtEdge('end') && recall(-1);
    moveChoice(1);
    return true;
  },
  ArrowUp: (event) => {
    if ((list.value?.active ?? -1) >= 0) {
      moveChoice(-1);
      return true;
    }
    return isPlain(event) && isAtEdge('start') && recall(1);
  },
};

const isPlain = ({ shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent) => !shiftKey && !altKey && !ctrlKey && !metaKey;

/** Reports whether the cursor has no row above or below it, or the text came from the history. */
function isAtEdge(edge: 'start' | 'end'): boolean {
  const field = lineField();
  if (field === undefined) return false;
  const { selectionStart, selectionEnd, value } = field;
  const rowHeight = Number.parseFloat(getComputedStyle(field).lineHeight);
  const isOneRow = field.clientHeight < 2 * rowHeight + 4;
  const isWhole = selectionStart === 0 && selectionEnd === value.length;
  const isThere = edge === 'start' ? selectionEnd === 0 : selectionStart === value.length;
  return isOneRow || isWhole || isThere || isRecalled();
}
