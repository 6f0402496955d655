/** The line: a field with completion and history, and what belongs to it. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { closeList, completeSoon, list, takeOffer } from './completion.ts';
import { Form } from './form.tsx';
import { expandName, onKey } from './line-keys.ts';
import { fieldOf, Options } from './options.tsx';
import { Question, Trouble } from './question.tsx';
import { isDry, question, runText, sending } from './run.ts';
import { dialog, isFormOpen, problem, showField, text } from './state.ts';

const TOOLS = [
  ['Commands', 'Ctrl K', 'commands'],
  ['History', 'Ctrl R', 'history'],
  ['Keys', '?', 'keys'],
] as const;

/** Shows the line. */
export function Line() {
  const { offers = [], active = -1 } = list.value ?? {};
  return (
    <section class="line" aria-label="Line">
      {isFormOpen.value ? <Form /> : undefined}
      <div class="line-row">
        <div class="line-box">
          <Field active={active} />
          <Options id="offers" label="Completions" offers={offers} active={active} onTake={takeOffer} />
          <p role="status" class="hidden">
            {offers.length === 0 ? '' : `${offers.length} offers. Down chooses, Tab takes.`}
          </p>
        </div>
        <button type="button" class="primary" disabled={sending.value !== undefined} onClick={runText}>
          {isDry.value ? 'Run dry' : 'Run'}
        </button>
      </div>
      <Question />
      <Trouble />
      <div class="line-tools">
        <label>
          <input
            type="checkbox"
            checked={isDry.value}
            onChange={(event) => {
              isDry.value = event.currentTarget.checked;
            }}
          />{' '}
          Dry run
        </label>
        <button type="button" aria-pressed={isFormOpen.value} onClick={toggleForm}>
          Form
        </button>
        {TOOLS.map(([title, key, opened]) => (
          <button key={title} type="button" onClick={() => (dialog.value = opened)}>
            {title} <kbd>{key}</kbd>
          </button>
        ))}
      </div>
    </section>
  );
}

function Field({ active }: { readonly active: number }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    showField(field.current);
    return () => {
      closeList();
      showField(null);
    };
  }, []);
  const shown = text.value;
  useLayoutEffect(() => {
    if (field.current === null) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight + 2}px`;
  }, [shown]);
  return (
    <textarea
      ref={field}
      class="code"
      rows={1}
      dir="auto"
      autocapitalize="off"
      placeholder="Type a command, such as scan, or press Ctrl+K"
      aria-label="Line"
      {...fieldOf('offers', active)}
      value={shown}
      onInput={(event) => {
        text.value = event.currentTarget.value;
        problem.value = undefined;
        question.value = undefined;
        if (!expandName(event.currentTarget)) completeSoon();
      }}
      onBlur={closeList}
      onMouseDown={closeList}
      onKeyDown={onKey}
    />
  );
}

function toggleForm(): void {
  isFormOpen.value = !isFormOpen.value;
  if (isFormOpen.value) completeSoon();
}
