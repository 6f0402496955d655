/** Shows the entries of the room: search, chips, and the list. */
import { useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { announce } from '../room/notices.ts';
import { heads, isLoaded, room } from '../room/store.ts';
import { place } from '../state.ts';
import { exportReport, exportShown } from './actions.ts';
import { Entry } from './entry.tsx';
import { FORMATS } from './exports.ts';
import { CHIPS } from './find.ts';
import { pressKey } from './keys.ts';
import {
  focusWanted,
  goToEntry,
  measuring,
  onMove,
  onScroll,
  scrollTo,
  settle,
  span,
  unseen,
  watch,
} from './scrolling.ts';
import { chips, clearSearch, current, decided, newest, searched, setOpen, shown, toggleChip } from './state.ts';

/** Shows the entries of the room. */
export function Entries() {
  useAddress();
  return (
    <section class="entries" aria-labelledby="entries-title">
      <h2 id="entries-title" class="hidden">
        Entries
      </h2>
      <Tools />
      <List />
      {shown.value.length === 0 && isLoaded.value ? <Nothing /> : undefined}
      {unseen.value === 0 ? undefined : (
        <button
          type="button"
          class="unseen primary"
          onClick={() => newest.value !== undefined && scrollTo(newest.value)}
        >
          {unseen.value} new <span aria-hidden="true">↓</span>
        </button>
      )}
    </section>
  );
}

function Tools() {
  const all = heads.value.length;
  const count = shown.value.length;
  const isChosen = searched.value !== '' || chips.value.size > 0;
  return (
    <search class="entry-tools entries-tools">
      <input
        type="search"
        aria-label="Search entries"
        placeholder="Search entries"
        value={searched.value}
        onInput={(event) => {
          searched.value = event.currentTarget.value;
        }}
      />
      {CHIPS.map((chip) => (
        <button
          key={chip}
          type="button"
          class="chip"
          aria-pressed={chips.value.has(chip)}
          onClick={() => toggleChip(chip)}
        >
          {chip}
        </button>
      ))}
      <span class="soft count">{isChosen ? `${count} of ${all}` : all === 1 ? '1 entry' : `${all} entries`}</span>
      <details class="entry-menu">
        <summary>Export</summary>
        <div class="entry-menu-items">
          {FORMATS.map((format) => (
            <button key={format} type="button" onClick={(event) => closing(event, () => exportShown(format))}>
              List as {format}
            </button>
          ))}
          <button
            type="button"
            disabled={!heads.value.some(({ starred }) => starred)}
            onClick={(event) => closing(event, () => void exportReport())}
          >
            Starred as HTML report
          </button>
        </div>
      </details>
    </search>
  );
}

function closing({ currentTarget }: { currentTarget: HTMLElement }, act: () => void): void {
  currentTarget.closest('details')?.removeAttribute('open');
  act();
}

function List() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    watch(box.current);
    settle();
    return () => watch(null);
  }, []);
  const entries = shown.value;
  const { from, to, before, after } = span.value;
  // What is drawn depends on the position, so settling after each drawing might never end.
  useLayoutEffect(settle, [entries, decided.value, newest.value]);
  useLayoutEffect(() => {
    measuring.disconnect();
    for (const entry of box.current?.querySelectorAll('.entry') ?? []) measuring.observe(entry);
    focusWanted();
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and scrolling reach it from the entries inside
    <div
      ref={box}
      class="entries-list"
      tabIndex={-1}
      hidden={entries.length === 0}
      onScroll={onScroll}
      onPointerMove={onMove}
      onKeyDown={(event) => {
        const number = pressKey(event);
        if (number === undefined) return;
        current.value = number;
        goToEntry(number);
      }}
    >
      <div role="feed" aria-label="List of entries" style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        {entries.slice(from, to).map((head, at) => (
          <Entry key={head.number} head={head} position={from + at + 1} count={entries.length} />
        ))}
      </div>
    </div>
  );
}

function Nothing() {
  if (heads.value.length === 0) return <p class="soft">No line has run yet. Type a command below, and press Enter.</p>;
  return (
    <p class="soft">
      No entry fits.{' '}
      <button type="button" onClick={clearSearch}>
        Show all entries
      </button>
    </p>
  );
}

/** Goes to the entry of the address, once for each address. */
function useAddress(): void {
  const done = useRef('');
  useSignalEffect(() => {
    const [view, id, entry] = place.value;
    const address = `${id}/${entry}`;
    const isReady = view === 'room' && id === room.value && isLoaded.value;
    if (!isReady || done.current === address) return;
    done.current = address;
    if (entry === undefined) return;
    const number = Number(entry);
    if (!heads.peek().some((head) => head.number === number)) {
      announce(`This room has no entry ${entry}.`);
      return;
    }
    if (!shown.peek().some((head) => head.number === number)) clearSearch();
    setOpen(number, true);
    current.value = number;
    requestAnimationFrame(() => scrollTo(number));
  });
}
