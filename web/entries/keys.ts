/** The keys of the list of entries. */
import { copyText, runAgain, toggleStar } from './actions.ts';
import { current, isOpen, setOpen, shown } from './state.ts';

/** What the keys do while the list of entries has the focus. */
export const ENTRY_KEYS: readonly (readonly [keys: string, effect: string])[] = [
  ['j or ↓, k or ↑', 'Go to the next or the previous entry; in a table, to another row'],
  ['Home, End', 'Go to the first or the last entry'],
  ['Enter on an entry', 'Open or fold it; in a table, show the whole record'],
  ['s', 'Star the entry'],
  ['c', 'Copy its line'],
  ['r', 'Run it again'],
];

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Home: -1e9, End: 1e9 };

/** Handles a key on an entry. @returns the entry to go to; undefined for a key that goes nowhere */
export function pressKey(event: KeyboardEvent): number | undefined {
  const target = event.target as HTMLElement;
  const isOnEntry = target.matches('.entry, .entries-list');
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, [role=grid]'))
    return undefined;
  const entries = shown.peek();
  const at = entries.findIndex(({ number }) => number === (current.peek() ?? entries.at(-1)?.number));
  const entry = entries[at];
  if (entry === undefined) return undefined;
  const step = STEPS[event.key];
  if (step !== undefined) {
    // Elsewhere in an entry, arrows scroll.
    if (!isOnEntry && event.key.length > 1) return undefined;
    event.preventDefault();
    return entries[Math.max(0, Math.min(entries.length - 1, at + step))]?.number;
  }
  if (event.key === 'Enter' && isOnEntry) setOpen(entry.number, !isOpen(entry.number));
  else if (event.key === 's') void toggleStar(entry);
  else if (event.key === 'c') void copyText(entry.line, 'the line');
  else if (event.key === 'r') void runAgain(entry, false);
  else return undefined;
  event.preventDefault();
  return undefined;
}
