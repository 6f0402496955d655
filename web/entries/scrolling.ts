/**
 * Scrolls the list of entries. The newest is at the end, next to the line, as in a terminal; whoever reads elsewhere is not
 * moved: the first entry in view stays where it is.
 */
import { batch, effect, signal } from '@preact/signals';
import { heads } from '../room/store.ts';
import { isOpen, keepAsIs, shown } from './state.ts';
import { type Span, spanOf } from './window.ts';

/** How much is drawn above and below the visible part, in pixels. */
const AROUND = 400;
/** How near the end counts as its end, in pixels. */
const NEAR = 32;
/** How long after a movement of the pointer nothing moves below it, in milliseconds. */
const BUSY_MS = 1500;

/** What is drawn. */
export const span = signal<Span>({ from: 0, to: 0, before: 0, after: 0 });
/** New entries that are out of sight. */
export const unseen = signal(0);

let box: HTMLElement | undefined;
let folded = 40;
const heights = new Map<number, number>();
/** The entry at the upper edge, and how far above the edge it begins. */
let anchor: { readonly number: number; readonly hidden: number } | undefined;
let follows = true;
let last: { readonly number: number; readonly height: number } | undefined;
let movedAt = 0;
/** The entry that shall get the focus as soon as it is drawn. */
let wanted: number | undefined;

function heightOf(number: number): number {
  return isOpen(number) ? (heights.get(number) ?? 8 * folded) : folded;
}

function topOf(number: number): number {
  let top = 0;
  for (const each of shown.peek()) {
    if (each.number === number) return top;
    top += heightOf(each.number);
  }
  return top;
}

/** Computes what to draw from the position of the list. */
function draw(): void {
  const { scrollTop = 0, clientHeight = 600 } = box ?? {};
  const next = spanOf(
    shown.peek().map(({ number }) => heightOf(number)),
    ...([scrollTop, clientHeight, AROUND] as const),
  );
  const { value: old } = span;
  if ((['from', 'to', 'before', 'after'] as const).some((name) => old[name] !== next[name])) span.value = next;
}

function isAtEnd(): boolean {
  const newest = shown.peek().at(-1);
  if (box === undefined || newest === undefined) return true;
  return box.scrollTop >= Math.min(topOf(newest.number), box.scrollHeight - box.clientHeight) - NEAR;
}

function isBusy(): boolean {
  return performance.now() - movedAt < BUSY_MS || box?.contains(document.activeElement) === true;
}

/** Takes over the element that scrolls. */
export function watch(element: HTMLElement | null): void {
  box = element ?? undefined;
  if (element !== null) draw();
}

export function onMove(): void {
  movedAt = performance.now();
}

export function onScroll(): void {
  if (box === undefined) return;
  follows = isAtEnd();
  if (follows) unseen.value = 0;
  let top = 0;
  const first = shown.peek().find(({ number }) => {
    top += heightOf(number);
    return top > (box?.scrollTop ?? 0);
  });
  anchor =
    first === undefined ? undefined : { number: first.number, hidden: box.scrollTop - (top - heightOf(first.number)) };
  const { from, to, before } = span.peek();
  // Drawing again is only needed near the edges of what is drawn.
  const end = box.scrollHeight - span.peek().after;
  const isNearEdge =
    (from > 0 && box.scrollTop < before + AROUND / 2) ||
    (to < shown.peek().length && box.scrollTop + box.clientHeight > end - AROUND / 2);
  if (isNearEdge) draw();
}

/** Measures what is drawn. */
export const measuring = new ResizeObserver((changes) => {
  let isNew = false;
  for (const { target } of changes) {
    const number = Number((target as HTMLElement).dataset['number']);
    const height = target.getBoundingClientRect().height;
    if (height === 0 || Number.isNaN(number)) continue;
    if (!isOpen(number)) {
      isNew ||= folded !== height;
      folded = height;
    } else if (heights.get(number) !== height) {
      heights.set(number, height);
      isNew = true;
    }
  }
  if (isNew) settle();
});

/** Draws, then follows the end, or keeps what is in view where it is. */
export function settle(): void {
  if (box === undefined) return;
  draw();
  const newest = shown.peek().at(-1);
  const end = newest && { number: newest.number, height: heightOf(newest.number) };
  const isMore = end !== undefined && (end.number !== last?.number || end.height !== last.height);
  last = end;
  if (isMore && follows && !isBusy()) {
    scrollTo(end.number);
    return;
  }
  const isKept = anchor !== undefined && shown.peek().some(({ number }) => number === anchor?.number);
  if (isKept && anchor !== undefined) move(topOf(anchor.number) + anchor.hidden);
  if (!isMore) follows = isAtEnd();
}

function move(top: number): void {
  if (box !== undefined && Math.abs(box.scrollTop - top) >= 1) box.scrollTop = top;
  draw();
}

/** Scrolls to the beginning of an entry. */
export function scrollTo(number: number): void {
  move(topOf(number));
}

/** Brings an entry into view, and gives it the focus. */
export function goToEntry(number: number): void {
  if (box === undefined) return;
  const top = topOf(number);
  const height = Math.min(heightOf(number), box.clientHeight);
  if (top < box.scrollTop) move(top);
  else if (top + height > box.scrollTop + box.clientHeight) move(top + height - box.clientHeight);
  wanted = number;
  focusWanted();
}

/** Gives the focus to the entry that shall have it, if it is drawn. */
export function focusWanted(): void {
  const element = wanted === undefined ? undefined : document.getElementById(`entry-${wanted}`);
  if (element === undefined || element === null) return;
  wanted = undefined;
  element.focus({ preventScroll: true });
}

let known: number | undefined;
effect(() => {
  const { value: all } = heads;
  const newest = all.at(-1)?.number;
  const before = known;
  known = newest;
  if (before === undefined || newest === undefined || newest <= before || box === undefined) return;
  if (follows && !isBusy()) return;
  batch(() => {
    // Folding it would move what somebody looks at.
    keepAsOpen(before);
    unseen.value += 1;
  });
});

function keepAsOpen(number: number): void {
  if (heights.has(number)) keepAsIs(number, true);
}
