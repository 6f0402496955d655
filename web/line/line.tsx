/** The line: a field with completion and history, and what belongs to it. */
import { Act } from '../entries/act.tsx';
import { shown } from '../entries/state.ts';
import { ProblemBox } from '../pictures/parts.tsx';
import { active, list, takeOffer } from './completion.ts';
import { enterLine, TOOLS } from './dialogs.tsx';
import { Form } from './form.tsx';
import { onKey } from './line-keys.ts';
import { fieldOf, Options } from './picker.tsx';
import { Question } from './question.tsx';
import { isDry, isSending, question } from './run.ts';
import { dialog, isFormOpen, isListOpen, problem, showField, text } from './state.ts';

export function Line() {
  const offers = list.value;
  const failure = problem.value;
  const isInEntry = shown.value.at(-1)?.summary === failure?.detail;
  return (
    <section class="line" aria-label="Line">
      {isFormOpen.value ? <Form /> : undefined}
      {/* What opens above the line leaves its buttons where they are. */}
      <Question />
      {failure === undefined || isInEntry ? undefined : <ProblemBox problem={failure} />}
      <div class="line-row">
        <div class="line-box">
          <Field />
          <Options id="offers" label="Completions" offers={offers} active={active.value} onTake={takeOffer} />
          <p role="status" class="hidden">
            {offers.length === 0 ? '' : `${offers.length} suggestions. Down selects, Tab accepts.`}
          </p>
        </div>
        <Act class="primary" disabled={isSending.value} on={enterLine}>
          {isDry.value ? 'Dry run' : 'Run'}
        </Act>
      </div>
      <div class="line-tools">
        <label>
          <input type="checkbox" checked={isDry.value} onChange={toggleDry} /> Dry run
        </label>
        <Act aria-pressed={isFormOpen.value} on={() => (isFormOpen.value = !isFormOpen.value)}>
          Form
        </Act>
        {TOOLS.map(([title, key, opened]) => (
          <Act key={title} on={() => (dialog.value = opened)}>
            {title} <kbd class="soft">{key}</kbd>
          </Act>
        ))}
      </div>
    </section>
  );
}

function toggleDry(): void {
  isDry.value = !isDry.value;
  question.value = undefined;
}

function Field() {
  return (
    <textarea
      ref={showField}
      class="code"
      rows={1}
      dir="auto"
      autocapitalize="off"
      placeholder="Type a command, such as runtime-topics-list, or press Ctrl+K"
      aria-label="Line"
      {...fieldOf('offers', active.value)}
      value={text.value}
      onInput={({ currentTarget }) => {
        active.value = -1;
        isListOpen.value = true;
        text.value = currentTarget.value;
        problem.value = undefined;
        question.value = undefined;
      }}
      onBlur={() => (isListOpen.value = false)}
      onMouseDown={() => (isListOpen.value = false)}
      onKeyDown={onKey}
    />
  );
}
