/** Shows an entry: one line, and below it what came of it. */
import { ageOf } from '../../lib/runtime/select/printed.ts';
import { room } from '../room/store.ts';
import { addressOf, me } from '../state.ts';
import type { EntryHead } from '../types.ts';
import { toggleStar } from './actions.ts';
import { State } from './cell.tsx';
import { lineText, spentTime, titleText } from './cells.ts';
import { EntryBody } from './details.tsx';
import { current, isOpen, newest, now, runningAgain, setOpen } from './state.ts';

interface Shown {
  readonly head: EntryHead;
  /** Its place among the entries in view, from 1. */
  readonly position: number;
  readonly count: number;
}

export function Entry({ head, position, count }: Shown) {
  const { number, line, time, ms, verdict, state, summary, starred } = head;
  const open = isOpen(number);
  const isCurrent = number === (current.value ?? newest.value);
  return (
    <article
      id={`entry-${number}`}
      class={`entry${open ? ' open' : ''}`}
      data-number={number}
      tabIndex={isCurrent ? 0 : -1}
      aria-labelledby={`entry-line-${number}`}
      aria-posinset={position}
      aria-setsize={count}
      onFocusIn={() => {
        current.value = number;
      }}
    >
      <div class="entry-head">
        <button type="button" class="entry-toggle plain" aria-expanded={open} onClick={() => setOpen(number, !open)}>
          <State text={verdict ?? state} />
          <code id={`entry-line-${number}`} dir="auto" title={titleText(line)}>
            {lineText(line)}
          </code>
          <span class="summary" dir="auto" title={titleText(summary)}>
            {lineText(summary)}
          </span>
        </button>
        <Marks head={head} />
        <time class="soft" dateTime={time} title={`${new Date(time).toLocaleString()}, took ${spentTime(ms)}`}>
          {ageOf(time, now.value)}
          <span class="took"> {spentTime(ms)}</span>
        </time>
        <a class="soft" href={addressOf('room', room.value ?? '', number)} aria-label={`Address of entry ${number}`}>
          #{number}
        </a>
        <button
          type="button"
          class="plain star"
          aria-pressed={starred}
          aria-label={`Star entry ${number}`}
          onClick={() => void toggleStar(head)}
        >
          <span aria-hidden="true">{starred ? '★' : '☆'}</span>
        </button>
      </div>
      {open ? <EntryBody head={head} /> : undefined}
    </article>
  );
}

function Marks({ head: { number, simulated, dryRun, stale } }: { head: EntryHead }) {
  const marks = [
    ...(runningAgain.value.has(number) ? [['running again', 'The new result will replace this result.'] as const] : []),
    ...(stale ? [['older context', 'Ran on older context: a value of the line has changed since.'] as const] : []),
    ...(dryRun ? [['dry run', 'Nothing was changed.'] as const] : []),
    ...(simulated && me.value?.simulated !== true
      ? [['simulated', 'The simulated service answered, not a tenant.'] as const]
      : []),
  ];
  return (
    <span class="marks">
      {marks.map(([text, title]) => (
        <span key={text} class="mark" title={title}>
          {text}
        </span>
      ))}
    </span>
  );
}
