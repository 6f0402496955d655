/** What people do with entries, by buttons and by keys: star, copy, run again, export. */
import { isDry, runLine } from '../line/run.ts';
import { setLine } from '../line/state.ts';
import { announce, attempt } from '../room/notices.ts';
import { room, star } from '../room/store.ts';
import { addressOf } from '../state.ts';
import type { EntryDetail, EntryHead } from '../types.ts';
import type { Written } from './exports.ts';
import { current, isOpen, keepAsIs, places, setOpen, shown } from './state.ts';

/** Where the service has masked a part of a line. */
const MASKED = '***';

export function toggleStar({ number, starred }: EntryHead): Promise<void> {
  keepAsIs(number);
  return attempt(() => star(number, !starred));
}

/** Copies a text. @param what it is, for the message */
export function copyText(text: string, what: string): Promise<void> {
  return attempt(async () => {
    await navigator.clipboard.writeText(text);
    announce(`Copied ${what}.`);
  });
}

/** Runs the line of an entry again. @param isInPlace the new result replaces the entry in view */
export async function runAgain({ number, line, dryRun }: EntryHead, isInPlace: boolean): Promise<void> {
  if (line.includes(MASKED)) {
    setLine(line);
    announce('A part of this line cannot be shown. Type it, then run the line.');
    return;
  }
  const run = await runLine(line, dryRun || isDry.value);
  if (isInPlace && run !== undefined) {
    keepAsIs(number);
    places.value = new Map(places.peek()).set(run.id, number);
  }
}

export function copiesOf(detail: EntryDetail): readonly (readonly [what: string, text: () => string])[] {
  const { line, number, problem, result, wrote } = detail;
  return [
    ['line', () => line],
    ['JSON', () => JSON.stringify(result?.outputs ?? problem, null, 2)],
    ...(result === undefined ? [] : [['markdown', () => result.readable] as const]),
    ...wrote.slice(0, 1).map((path) => ['path', () => `\${${path}}`] as const),
    ['address', () => `${location.origin}${location.pathname}${addressOf('room', room.peek() ?? '', number)}`],
  ];
}

export function save({ text, type, ending }: Written, title: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const name = `${title}.${ending}`;
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  announce(`Saved ${name}.`);
}

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
