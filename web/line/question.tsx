/** What stands below the line: the question before a deletion, and why a line was not run. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { confirmDeletion, question, selectLine } from './run.ts';
import { problem } from './state.ts';

/** Asks before a deletion, as the terminal does. */
export function Question() {
  const keep = useRef<HTMLButtonElement>(null);
  const asked = question.value;
  useLayoutEffect(() => keep.current?.focus(), [asked]);
  if (asked === undefined) return null;
  const close = () => {
    question.value = undefined;
    selectLine();
  };
  return (
    <div
      class="line-question"
      role="alertdialog"
      aria-label="Confirm the deletion"
      aria-describedby="line-question"
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <p id="line-question" dir="auto">
        {asked.words}
      </p>
      <button type="button" class="danger" onClick={() => void confirmDeletion().then(selectLine)}>
        Delete
      </button>
      <button type="button" ref={keep} onClick={close}>
        Keep
      </button>
    </div>
  );
}

/** Says why a line was not run. */
export function Trouble() {
  const { code, detail, hint } = problem.value ?? {};
  // The entry of a refused line has the hint too.
  const isEntry = code === 'usage' || code === 'arguments';
  return (
    <p role="alert" class="problem line-problem" dir="auto">
      {detail}
      {hint === undefined || isEntry ? undefined : <span class="soft"> {hint}</span>}
    </p>
  );
}
