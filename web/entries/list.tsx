/** Shows the entries of the room: search, chips, and the list. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { heads, isLoaded, pathOf } from '../room/store.ts';
import { Act, Acts } from './act.tsx';
import { pressKey, save } from './actions.ts';
import { Entry } from './entry.tsx';
import { FORMATS, writtenHeads } from './exports.ts';
import { CHIPS } from './order.ts';
import * as scrolling from './scrolling.ts';
import { chips, clearSearch, current, isOpen, newest, runningAgain, searched, shown, toggleChip } from './state.ts';

export function Entries() {
  const { value: unseen } = scrolling.unseen;
  return (
    <section class="entries" aria-labelledby="entries-title">
      <h2 id="entries-title" class="hidden">
        Entries
      </h2>
      <Tools />
      <List />
      {shown.value.length === 0 && isLoaded.value && <Nothing />}
      {unseen === 0 ? undefined : (
        <Act class="unseen primary" on={() => scrolling.holdEntry(newest.value)}>
          {unseen} new ↓
        </Act>
      )}
    </section>
  );
}

function Tools() {
  const all = heads.value.length;
  const count = shown.value.length;
  const hasStar = heads.value.some(({ starred }) => starred);
  return (
    <search class="entry-tools entries-tools">
      <input
        type="search"
        aria-label="Search entries"
        placeholder="Search entries"
        value={searched.value}
        onInput={({ currentTarget }) => (searched.value = currentTarget.value)}
      />
      {CHIPS.map((chip) => (
        <Act key={chip} class="chip" aria-pressed={chips.value.has(chip)} on={() => toggleChip(chip)}>
          {chip}
        </Act>
      ))}
      <span class="soft count">
        {count === all ? all : `${count} of ${all}`} {all === 1 ? 'entry' : 'entries'}
      </span>
      <Acts
        verb="Export"
        of={FORMATS.map((format) => [format, () => save(writtenHeads(format, shown.peek()), 'entries')])}
      />
      {/* It keeps its place without stars too, so that the first star moves nothing. */}
      <a class={hasStar ? '' : 'unused'} href={pathOf('report')} download="room-report.html">
        Starred<span class="hidden"> as HTML</span>
      </a>
    </search>
  );
}

function List() {
  const box = useRef<HTMLDivElement>(null);
  const entries = shown.value;
  const { value: from } = scrolling.from;
  const blocks: number[] = [];
  for (let at = from; at < entries.length; at += scrolling.BLOCK) blocks.push(at);
  const reachable = current.value ?? newest.value;
  // Without an entry that has the focus in its turn, the list itself takes it.
  const isReachable = entries.slice(from).some(({ number }) => number === reachable);
  useLayoutEffect(() => {
    scrolling.watchList(box.current);
    return () => scrolling.watchList(null);
  }, []);
  useLayoutEffect(scrolling.settle);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and scrolling reach it from the entries inside
    <div
      ref={box}
      class="entries-list"
      tabIndex={isReachable ? -1 : 0}
      hidden={entries.length === 0}
      onScroll={scrolling.remember}
      onPointerMove={scrolling.noteMove}
      onPointerDown={() => scrolling.holdEntry(undefined)}
      onWheel={() => scrolling.holdEntry(undefined)}
      onKeyDown={(event) => {
        scrolling.holdEntry(undefined);
        const number = pressKey(event);
        if (number === undefined) return;
        current.value = number;
        scrolling.goToEntry(number);
      }}
    >
      <div role="feed" aria-label="List of entries">
        {blocks.map((block) => (
          <div key={block} class="entries-block">
            {entries.slice(block, block + scrolling.BLOCK).map((head, index) => (
              <Entry
                key={head.number}
                head={head}
                position={block + index + 1}
                isOpen={isOpen(head.number)}
                isReachable={head.number === reachable}
                isRunning={runningAgain.value.has(head.number)}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function Nothing() {
  if (heads.value.length === 0)
    return <p class="soft">No command has run yet. Type a command below and press Enter.</p>;
  return (
    <p class="soft">
      No entry matches. <Act on={clearSearch}>Show all entries</Act>
    </p>
  );
}
