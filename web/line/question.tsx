/** Questions before something is deleted or stopped. */
import { useId, useRef } from 'preact/hooks';
import { Act } from '../entries/act.tsx';
import { confirmDeletion, question, selectLine } from './run.ts';

interface AskProps {
  readonly words: string;
  /** Labels of the buttons that do something. */
  readonly answers: readonly string[];
  /** Label of the button that does nothing. */
  readonly no?: string;
  readonly on: (answer: string | undefined) => unknown;
}

/** Asks before something is done; the focus is on the button that does nothing, and then where it was before. */
export function Ask({ words, answers, no = 'Keep', on }: AskProps) {
  const id = useId();
  const before = useRef(document.activeElement as HTMLElement | null);
  const answer = (given?: string) => {
    before.current?.focus();
    on(given);
  };
  return (
    <div
      class="line-question"
      role="alertdialog"
      aria-label="Confirm"
      aria-describedby={id}
      onKeyDown={({ key }) => {
        if (key === 'Escape') answer();
      }}
    >
      <p id={id} dir="auto">
        {words}
      </p>
      {answers.map((label) => (
        <Act key={label} class="danger" on={() => answer(label)}>
          {label}
        </Act>
      ))}
      <button type="button" ref={focus} onClick={() => answer()}>
        {no}
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
  const answer = async (yes: string | undefined) => {
    if (yes !== undefined) await confirmDeletion();
    else question.value = undefined;
    selectLine();
  };
  return <Ask key={asked.words} words={asked.words} answers={['Delete']} on={answer} />;
}
