/** Questions before something is deleted or stopped. */
import { useId } from 'preact/hooks';
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

/** Asks before something is done; the focus is on the button that does nothing. */
export function Ask({ words, answers, no = 'Keep', on }: AskProps) {
  const id = useId();
  return (
    <div
      class="line-question"
      role="alertdialog"
      aria-label="Confirm"
      aria-describedby={id}
      onKeyDown={({ key }) => {
        if (key === 'Escape') on(undefined);
      }}
    >
      <p id={id} dir="auto">
        {words}
      </p>
      {answers.map((answer) => (
        <Act key={answer} class="danger" on={() => on(answer)}>
          {answer}
        </Act>
      ))}
      <button type="button" ref={focus} onClick={() => on(undefined)}>
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
