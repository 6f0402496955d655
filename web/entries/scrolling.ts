/**
 * Scrolls the list of entries. The newest is at the end, next to the line, as in a terminal; whoever reads elsewhere is not
 * moved: the first entry in view stays where it is.
 */
import { effect, signal } from '@preact/signals';
import { heads, room } from '../room/store.ts';
import { isOpen, keepAsIs, shown } from './state.ts';
import { type Span, spanOf } from './window.ts';

/** How much is drawn above and below the visible part, and how near the end counts as its end, in pixels. */
const [AROUND, NEAR] = [400, 32];
const STEP = 200;
/** How long after a movement of the pointer nothing moves below it, in milliseconds. */
const BUSY_MS = 1500;

/** What is drawn. */
export const span = signal<Span>({ from: 0, to: 0, before: 0, after: 0 });
/** New entries that are out of sight. */
export const unseen = signal(0);

let box: HTMLElement | undefined;
/** Heights of the folded and of the open entries that were drawn. */
let folded = 40;
const heights = new Map<number, number>();
/** The entry at the upper edge, and how far above the edge it begins. */
let anchor: { readonly number: number; readonly hidden: number } | undefined;
let follows = true;
let last: { readonly number: number; readonly height: number } | undefined;
/** The entry of the address, until somebody scrolls: what is loaded later must not push it away. */
let held: number | undefined;
let movedAt = Number.NEGATIVE_INFINITY;
/** Whether the document has what shall be drawn; until then, where to scroll. */
let isDrawn = true;
let pending: number | undefined;
/** The entry that gets the focus as soon as it is drawn. */
let wanted: number | undefined;

function heightOf({ number }: { readonly number: number }): number {
  return isOpen(number) ? (heights.get(number) ?? 8 * folded) : folded;
}

function heightsOf(entries: readonly { readonly number: number }[]): number {
  return entries.reduce((sum, head) => sum + heightOf(head), 0);
}

function topOf(number: number): number {
  const { value: all } = shown;
  const at = all.findIndex((head) => head.number === number);
  return heightsOf(all.slice(0, at));
}

function draw(): void {
  const { scrollTop = 0, clientHeight = 600 } = box ?? {};
  const all = shown.peek().map(heightOf);
  // In steps, so that not every movement draws again.
  const next = spanOf(all, Math.floor(scrollTop / STEP) * STEP, clientHeight + STEP, AROUND);
  if (JSON.stringify(next) === JSON.stringify(span.peek())) return;
  span.value = next;
  isDrawn = false;
}

/** Returns the position that shows an entry at the upper edge, or as near to it as the end of the list allows. */
function positionOf(top: number): number {
  return Math.max(0, Math.min(top, heightsOf(shown.peek()) - (box?.clientHeight ?? 0)));
}

/** Remembers what is in view. */
function remember(): void {
  if (box === undefined) return;
  const newest = shown.peek().at(-1);
  follows = newest === undefined || box.scrollTop >= positionOf(topOf(newest.number)) - NEAR;
  if (follows) unseen.value = 0;
  let bottom = 0;
  const first = shown.peek().find((head) => {
    bottom += heightOf(head);
    return bottom > (box?.scrollTop ?? 0);
  });
  if (first !== undefined) anchor = { number: first.number, hidden: box.scrollTop - bottom + heightOf(first) };
}

function isBusy(): boolean {
  return performance.now() - movedAt < BUSY_MS || box?.contains(document.activeElement) === true;
}

/** Takes over the element that scrolls. */
export function watchList(element: HTMLElement | null): void {
  box = element ?? undefined;
  settle();
}

export function noteMove(): void {
  movedAt = performance.now();
}

export function noteScroll(): void {
  remember();
  draw();
}

/** Measures what is drawn. */
export const measuring = new ResizeObserver((changes) => {
  let isNew = false;
  for (const { target } of changes) {
    const number = Number((target as HTMLElement).dataset['number']);
    const { height } = target.getBoundingClientRect();
    // A larger list shows more.
    isNew ||= target === box;
    if (height === 0 || target === box) continue;
    isNew ||= height !== (isOpen(number) ? heights.get(number) : folded);
    if (isOpen(number)) heights.set(number, height);
    else folded = height;
  }
  if (isNew) settle();
});

/** Draws, then follows the end, or keeps what is in view where it is. */
export function settle(): void {
  draw();
  const all = shown.peek();
  const newest = all.at(-1)?.number;
  if (box === undefined || newest === undefined) return;
  const height = heightOf({ number: newest });
  const isNew = newest !== last?.number;
  const isMore = isNew || height !== last?.height;
  if (isNew && last !== undefined) held = undefined;
  last = { number: newest, height };
  if (held !== undefined) scrollToEntry(held);
  else if (isMore && follows && !isBusy()) scrollToEntry(newest);
  else if (anchor !== undefined && all.some(({ number }) => number === anchor?.number)) {
    move(topOf(anchor.number) + anchor.hidden);
  }
}

function move(top: number): void {
  if (box === undefined) return;
  const goal = positionOf(top);
  box.scrollTop = goal;
  draw();
  // What is drawn at the moment may be too short.
  if (!isDrawn && Math.abs(box.scrollTop - goal) >= 1) pending = goal;
  else remember();
}

/** Goes on after the list was drawn. @param drawn what the document has */
export function noteDrawn(drawn: Span): void {
  if (drawn !== span.peek()) return;
  isDrawn = true;
  if (pending !== undefined) {
    const goal = pending;
    pending = undefined;
    move(goal);
  }
  focusWanted();
}

/** Scrolls to the beginning of an entry. */
export function scrollToEntry(number: number): void {
  move(topOf(number));
}

/** Scrolls to the entry of the address; undefined: somebody scrolls now. */
export function holdEntry(number: number | undefined): void {
  held = number;
  if (number !== undefined) scrollToEntry(number);
}

/** Brings an entry into view, and gives it the focus. */
export function goToEntry(number: number): void {
  if (box === undefined) return;
  const top = topOf(number);
  const { scrollTop, clientHeight } = box;
  move(Math.min(top, Math.max(scrollTop, top + heightOf({ number }) - clientHeight)));
  wanted = number;
  focusWanted();
}

/** Gives the focus to the entry that shall have it, if it is drawn. */
function focusWanted(): void {
  const element = wanted === undefined ? null : document.getElementById(`entry-${wanted}`);
  if (element === null) return;
  wanted = undefined;
  element.focus({ preventScroll: true });
}

effect(() => {
  // Another room has other entries with the same numbers.
  void room.value;
  heights.clear();
  anchor = undefined;
  last = undefined;
  held = undefined;
  follows = true;
  unseen.value = 0;
});

let known: number | undefined;
effect(() => {
  const newest = heads.value.at(-1)?.number;
  const before = known;
  known = newest;
  const isNew = before !== undefined && newest !== undefined && newest > before;
  if (!isNew || (follows && !isBusy())) return;
  // Folding it would move what somebody looks at.
  if (heights.has(before)) keepAsIs(before, true);
  unseen.value += 1;
});
