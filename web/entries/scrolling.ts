/**
 * Scrolls the list of entries. The newest is at the end, next to the line, as in a terminal; for people who read elsewhere,
 * the first entry in view stays where it is.
 */
import { computed, effect, signal } from '@preact/signals';
import { TAB } from '../api.ts';
import { announce } from '../room/notices.ts';
import { heads, isLoaded, room } from '../room/store.ts';
import { place } from '../state.ts';
import type { EntryHead } from '../types.ts';
import { chips, clearSearch, current, keepAsIs, searched, setOpen, shown } from './state.ts';

/** Entries are drawn in blocks: first the last blocks, then block by block the others, so that no frame takes long. */
export const BLOCK = 20;
const [FIRST_BLOCKS, PAUSE_MS] = [3, 20];
/** How near the end counts as the end, in pixels. */
const NEAR = 32;
/** How long after a movement of the pointer nothing moves below it, in milliseconds. */
const BUSY_MS = 1500;

/** Place of the first entry that is drawn; undefined: the last entries are drawn. */
const start = signal<number | undefined>(undefined);
export const from = computed(() => {
  const last = Math.max(0, Math.floor(shown.value.length / BLOCK) - FIRST_BLOCKS) * BLOCK;
  return Math.min(start.value ?? last, last);
});
/** New entries that are out of sight. */
export const unseen = signal(0);

let box: HTMLElement | undefined;
/** The first entry in view, and where it is. */
let anchor: { readonly number: number; readonly top: number } | undefined;
let follows = true;
/** Where the list was when `remember` looked. */
let seenAt = 0;
let last: { readonly number: number; readonly height: number } | undefined;
/** The entry of the address, until somebody scrolls: what is loaded later must not push it away. */
let held: number | undefined;
let movedAt = Number.NEGATIVE_INFINITY;

function elementOf(number: number | undefined): HTMLElement | null {
  return document.getElementById(`entry-${number}`);
}

/** Returns where an entry begins, from the upper edge of the visible part. */
function topOf(element: HTMLElement): number {
  return element.getBoundingClientRect().top - (box?.getBoundingClientRect().top ?? 0);
}

function draw(number: number): void {
  const at = shown.peek().findIndex((head) => head.number === number);
  if (at < from.peek()) start.value = Math.max(0, Math.floor(at / BLOCK) * BLOCK);
}

// Paper and the browser's own search need all entries.
addEventListener('beforeprint', () => (start.value = 0));

/** Returns how far the list can be scrolled on. */
function restOf({ scrollHeight, clientHeight, scrollTop }: HTMLElement): number {
  return scrollHeight - clientHeight - scrollTop;
}

export function remember(): void {
  if (box === undefined) return;
  seenAt = box.scrollTop;
  const block = firstInView(box.querySelectorAll<HTMLElement>('.entries-block'));
  const first = firstInView(block?.querySelectorAll<HTMLElement>('.entry') ?? []);
  if (first !== undefined) anchor = { number: Number(first.id.replace('entry-', '')), top: topOf(first) };
  follows = restOf(box) <= NEAR || anchor?.number === shown.peek().at(-1)?.number;
  if (follows) unseen.value = 0;
}

/** Finds the first element in view. The browser lays out only blocks in view, so look at the blocks before the entries. */
function firstInView(elements: Iterable<HTMLElement>): HTMLElement | undefined {
  return [...elements].find((each) => topOf(each) + each.offsetHeight > NEAR);
}

function isBusy(): boolean {
  return performance.now() - movedAt < BUSY_MS || box?.contains(document.activeElement) === true;
}

export function watchList(element: HTMLElement | null): void {
  box = element ?? undefined;
  // A list that is shown again begins at its first entry, but no person has scrolled there.
  seenAt = 0;
  measuring.disconnect();
  for (const each of [element, element?.firstElementChild]) if (each) measuring.observe(each);
}

const measuring = new ResizeObserver(() => settle());
let filling: ReturnType<typeof setTimeout> | undefined;

export function noteMove(): void {
  movedAt = performance.now();
}

/** Follows the end, or keeps what is in view where it is. */
export function settle(): void {
  const newest = shown.peek().at(-1)?.number;
  if (box === undefined || newest === undefined) return;
  // A browser reports scrolling only in the next frame. At the end, the list may just have become shorter.
  if (box.scrollTop !== seenAt && restOf(box) > 1) remember();
  const height = elementOf(newest)?.offsetHeight ?? 0;
  const isNew = newest !== last?.number;
  const isMore = isNew || height !== last?.height;
  if (isNew && last !== undefined) held = undefined;
  last = { number: newest, height };
  const element = elementOf(anchor?.number);
  if (held !== undefined) scrollToEntry(held);
  else if (isMore && follows && !isBusy()) scrollToEntry(newest);
  else if (element !== null) box.scrollTop += topOf(element) - (anchor?.top ?? 0);
  remember();
  clearTimeout(filling);
  if (from.peek() > 0) filling = setTimeout(() => (start.value = from.peek() - BLOCK), PAUSE_MS);
  else start.value = 0;
}

function scrollToEntry(number: number): void {
  draw(number);
  const element = elementOf(number);
  if (element !== null && box !== undefined) box.scrollTop += topOf(element);
}

/** Scrolls to an entry, and stays there; undefined: somebody scrolls now. */
export function holdEntry(number: number | undefined): void {
  held = number;
  if (number !== undefined) scrollToEntry(number);
}

/** Brings an entry into view, and gives it the focus. */
export function goToEntry(number: number): void {
  draw(number);
  // The entry is drawn before.
  queueMicrotask(() => {
    const element = elementOf(number);
    if (element === null || box === undefined) return;
    const top = topOf(element);
    box.scrollTop += Math.min(top, Math.max(0, top + element.offsetHeight - box.clientHeight));
    element.focus({ preventScroll: true });
  });
}

effect(() => {
  void [room.value, searched.value, chips.value];
  start.value = undefined;
});

effect(() => {
  // Another room has other entries with the same numbers.
  void room.value;
  [anchor, last, held] = [undefined, undefined, undefined];
  follows = true;
  unseen.value = 0;
});

let known: number | undefined;
effect(() => {
  const newest = heads.value.at(-1)?.number;
  const before = known;
  known = newest;
  const isNew = before !== undefined && newest !== undefined && newest > before;
  if (!isNew) return;
  if (heads.value.at(-1)?.by === TAB && box?.contains(document.activeElement) !== true) {
    // The person who runs a line wants to see its result.
    follows = true;
    movedAt = Number.NEGATIVE_INFINITY;
  }
  if (follows && !isBusy()) return;
  // Folding it would move what somebody looks at.
  if (elementOf(before) !== null) keepAsIs(before, true);
  unseen.value += 1;
});

/** The address whose entry was shown: once, then people go where they want. */
let done = '';
effect(() => {
  const [view, id, entry] = place.value;
  const address = `${id}/${entry}`;
  if (view !== 'room') done = '';
  if (view !== 'room' || id !== room.value || !isLoaded.value || done === address) return;
  done = address;
  if (entry !== undefined) showEntry(Number(entry));
});

function showEntry(number: number) {
  const isNumber = (head: EntryHead) => head.number === number;
  if (!heads.peek().some(isNumber)) return announce(`This room has no entry ${number}.`);
  if (!shown.peek().some(isNumber)) clearSearch();
  setOpen(number, true);
  current.value = number;
  requestAnimationFrame(() => holdEntry(number));
}
