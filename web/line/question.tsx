/** Questions before a deletion, and why a line was not run. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Act } from '../entries/act.tsx';
import { confirmDeletion, question, selectLine } from './run.ts';
import { problem } from './state.ts';

interface AskProps {
  readonly words: string;
  /** Label of the button that does it. */
  readonly yes: string;
  readonly on: (isYes: boolean) => unknown;
}

/** Asks before something is deleted; the focus is on the button that keeps it. */
export function Ask({ words, yes, on }: AskProps) {
  const keep = useRef<HTMLButtonElement>(null);
  const id = useId();
  useLayoutEffect(() => keep.current?.focus(), [words]);
  return (
    <div
      class="line-question"
      role="alertdialog"
      aria-label="Confirm the deletion"
      aria-describedby={id}
      onKeyDown={({ key }) => {
        if (key === 'Escape') on(false);
      }}
    >
      <p id={id} dir="auto">
        {words}
      </p>
      <Act class="danger" on={() => on(true)}>
        {yes}
      </Act>
      <button type="button" ref={keep} onClick={() => on(false)}>
        Keep
      </button>
    </div>
  );
}

/** Asks before the line deletes something, as the terminal does. */
export function Question() {
  const asked = question.value;
  if (asked === undefined) return null;
  const answer = async (isYes: boolean) => {
    if (isYes) await confirmDeletion();
    else question.value = undefined;
    selectLine();
  };
  return <Ask words={asked.words} yes="Delete" on={answer} />;
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
