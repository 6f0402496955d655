/** Shows an entry: one line, and below it what came of it. */
import { useComputed } from '@preact/signals';
import { ageOf } from '../../lib/runtime/select/printed.ts';
import { shortLine } from '../line/text.ts';
import { room } from '../room/store.ts';
import { addressOf, me } from '../state.ts';
import type { EntryHead } from '../types.ts';
import { Act } from './act.tsx';
import { toggleStar } from './actions.ts';
import { State } from './cell.tsx';
import { lineText, spentTime, titleText } from './cells.ts';
import { EntryBody } from './details.tsx';
import { current, now, setOpen, total } from './state.ts';

interface EntryProps {
  readonly head: EntryHead;
  /** Among the entries in view, from 1. */
  readonly position: number;
  readonly isOpen: boolean;
  readonly isReachable: boolean;
  readonly isRunning: boolean;
}

/** Only what changes is drawn again: the list gives each entry its own properties, and signals change texts in place. */
export function Entry({ head, position, isOpen, isReachable, isRunning }: EntryProps) {
  const { number, line, time, ms, verdict, state, summary, starred } = head;
  const age = useComputed(() => ageOf(time, now.value));
  return (
    <article
      id={`entry-${number}`}
      class={`entry${isOpen ? ' open' : ''}`}
      tabIndex={isReachable ? 0 : -1}
      aria-labelledby={`entry-line-${number}`}
      aria-posinset={position}
      aria-setsize={total}
      onFocusIn={() => (current.value = number)}
    >
      <div class="entry-head">
        <Act class="entry-toggle plain" aria-expanded={isOpen} on={() => setOpen(number, !isOpen)}>
          <State text={verdict ?? state} />
          <code id={`entry-line-${number}`} dir="auto" title={titleText(line)}>
            {lineText(shortLine(line))}
          </code>
          <span class="soft" dir="auto" title={titleText(summary)}>
            {lineText(summary)}
          </span>
        </Act>
        <Marks {...{ head, isRunning }} />
        <time class="soft" dateTime={time} title={`${new Date(time).toLocaleString()}, took ${spentTime(ms)}`}>
          {age}
          <span class="took"> {spentTime(ms)}</span>
        </time>
        <a class="soft" href={addressOf('room', room.value ?? '', number)} aria-label={`Address of entry ${number}`}>
          #{number}
        </a>
        <Act class="plain star" aria-pressed={starred} aria-label={`Star entry ${number}`} on={() => toggleStar(head)}>
          {starred ? '★' : '☆'}
        </Act>
      </div>
      {isOpen ? <EntryBody head={head} /> : undefined}
    </article>
  );
}

function Marks({ head: { simulated, dryRun, stale }, isRunning }: Pick<EntryProps, 'head' | 'isRunning'>) {
  // The head of the page says it of a simulated tenant.
  const isOther = simulated && me.value?.simulated !== true;
  const marks = [
    [isRunning, 'running again', 'The new result will replace this result.'],
    [stale, 'older context', 'Ran on older context: a value of the line has changed since.'],
    [dryRun, 'dry run', 'Nothing was changed.'],
    [isOther, 'simulated', 'The simulated service answered, not a tenant.'],
  ] as const;
  return marks.map(([isOn, text, title]) => isOn && <mark title={title}>{text}</mark>);
}
