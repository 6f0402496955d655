/** Questions before a deletion. */
import { useId } from 'preact/hooks';
import { Act } from '../entries/act.tsx';
import { confirmDeletion, question, selectLine } from './run.ts';

interface AskProps {
  readonly words: string;
  /** Label of the button that does it. */
  readonly yes: string;
  readonly on: (isYes: boolean) => unknown;
}

/** Asks before something is deleted; the focus is on the button that keeps it. */
export function Ask({ words, yes, on }: AskProps) {
  const id = useId();
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
      <button type="button" ref={focus} onClick={() => on(false)}>
        Keep
      </button>
    </div>
  );
}

function focus(button: HTMLButtonElement | null): void {
  button?.focus();
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
  return <Ask key={asked.words} words={asked.words} yes="Delete" on={answer} />;
}
