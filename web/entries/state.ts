/** What is open, searched for and chosen among the entries of the room. */
import { computed, effect, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { TAB } from '../api.ts';
import { heads, room, running } from '../room/store.ts';
import { arranged, type Chip, chosen } from './order.ts';

export const searched = signal('');
export const chips = signal<ReadonlySet<Chip>>(new Set());
/** The entry that the keyboard acts on. */
export const current = signal<number | undefined>(undefined);
/** Number of the entry that a run replaces in view, by run. */
export const places = signal<ReadonlyMap<string, number>>(new Map());
/** What people have opened or folded; without it only the newest entry is open. */
export const decided = signal<ReadonlyMap<number, boolean>>(new Map());

export const newest = computed(() => heads.value.at(-1)?.number);
/** The entries in view, in their order. */
export const shown = computed(() => chosen(arranged(heads.value, places.value), searched.value, chips.value, TAB));
export const total = computed(() => shown.value.length);
/** Entries that are being run again in place. */
export const runningAgain = computed(() => new Set(running.value.flatMap(({ id }) => places.value.get(id) ?? [])));

export function isOpen(number: number): boolean {
  return decided.value.get(number) ?? number === newest.value;
}

/** Opens or folds an entry, and leaves it so when others come. */
export function setOpen(number: number, open: boolean): void {
  decided.value = new Map(decided.peek()).set(number, open);
}

/** Lets an entry stay as it is when others come. */
export function keepAsIs(number: number, open = isOpen(number)): void {
  if (!decided.peek().has(number)) setOpen(number, open);
}

export function toggleChip(chip: Chip): void {
  const next = new Set(chips.peek());
  if (!next.delete(chip)) next.add(chip);
  chips.value = next;
}

export function clearSearch(): void {
  searched.value = '';
  chips.value = new Set();
}

/** The time, for ages; once in half a minute is enough. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 30_000);

effect(() => {
  void heads.value;
  now.value = Date.now();
});

effect(() => {
  // Another room has other entries with the same numbers.
  void room.value;
  decided.value = new Map();
  places.value = new Map();
  current.value = undefined;
  clearSearch();
});

/** What people opened and chose, by room and place. */
const kept = new Map<string, unknown>();

/** Keeps a state while its element is not shown, such as a value of a folded entry. */
export function useKept<T>(at: string, initial: T): [T, (next: T) => void] {
  const key = `${room.peek()} ${at}`;
  const [value, setValue] = useState((kept.get(key) as T | undefined) ?? initial);
  const keep = (next: T) => {
    kept.set(key, next);
    setValue(() => next);
  };
  return [value, keep];
}
