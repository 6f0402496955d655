/** The line: a field with completion and history, and what belongs to it. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { commands } from '../state.ts';
import { closeList, completeSoon, list, moveChoice, takeOffer } from './completion.ts';
import { Form } from './form.tsx';
import { isRecalled, recall } from './history.ts';
import { fieldOf, Options } from './options.tsx';
import { confirmDeletion, isDry, question, runLine, selectLine, sending } from './run.ts';
import { dialog, isFormOpen, lineField, problem, replaceText, showField, text } from './state.ts';
import { inFull } from './text.ts';

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
        <button type="button" class="primary" disabled={sending.value !== undefined} onClick={run}>
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

/** Writes a short name in full once it is typed. @returns whether the line has changed */
function expandName({ value, selectionStart }: HTMLTextAreaElement): boolean {
  const full = inFull(value, (name) => commands.value.has(name));
  if (full === value || selectionStart !== value.length || !/\S\s/.test(value)) return false;
  replaceText(0, value.length, full);
  return true;
}

function onKey(event: KeyboardEvent): void {
  // Enter and arrows belong to an input method while it composes.
  if (event.isComposing) return;
  const handled = KEYS[event.key]?.(event) ?? false;
  if (handled) event.preventDefault();
}

/** The offers belong to the place that the cursor leaves. */
function leave(): boolean {
  closeList();
  return false;
}

/** What the keys of the line do. They return true if the browser shall not do more. */
const KEYS: Readonly<Record<string, (event: KeyboardEvent) => boolean>> = {
  Enter: ({ shiftKey, ctrlKey, metaKey, repeat }) => {
    const chosen = list.value?.offers[list.value.active];
    if (shiftKey) return false;
    if (chosen !== undefined && !ctrlKey && !metaKey) takeOffer(chosen);
    else if (!repeat) run();
    return true;
  },
  Tab: ({ shiftKey }) => {
    const open = list.value;
    const chosen = open?.offers[Math.max(0, open.active)];
    if (chosen === undefined || shiftKey) return false;
    takeOffer(chosen);
    return true;
  },
  ...Object.fromEntries(['ArrowLeft', 'ArrowRight', 'Home', 'End'].map((key) => [key, leave])),
  Escape: () => {
    const isOpen = list.value !== undefined;
    closeList();
    return isOpen;
  },
  ' ': ({ ctrlKey }) => {
    if (ctrlKey) completeSoon();
    return ctrlKey;
  },
  ArrowDown: (event) => {
    if (list.value === undefined) return isPlain(event) && isAtEdge('end') && recall(-1);
    moveChoice(1);
    return true;
  },
  ArrowUp: (event) => {
    if ((list.value?.active ?? -1) >= 0) {
      moveChoice(-1);
      return true;
    }
    return isPlain(event) && isAtEdge('start') && recall(1);
  },
};

const isPlain = ({ shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent) => !shiftKey && !altKey && !ctrlKey && !metaKey;

/** Reports whether the cursor has no row above or below it, or the text came from the history. */
function isAtEdge(edge: 'start' | 'end'): boolean {
  const field = lineField();
  if (field === undefined) return false;
  const { selectionStart, selectionEnd, value } = field;
  const rowHeight = Number.parseFloat(getComputedStyle(field).lineHeight);
  const isOneRow = field.clientHeight < 2 * rowHeight + 4;
  const isWhole = selectionStart === 0 && selectionEnd === value.length;
  const isThere = edge === 'start' ? selectionEnd === 0 : selectionStart === value.length;
  return isOneRow || isWhole || isThere || isRecalled();
}

function run(): void {
  void runLine(text.value, { dryRun: isDry.value });
  selectLine();
}

function toggleForm(): void {
  isFormOpen.value = !isFormOpen.value;
  if (isFormOpen.value) completeSoon();
}

/** Asks before a deletion, as the terminal does. */
function Question() {
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
function Trouble() {
  const { code, detail, hint } = problem.value ?? {};
  // The entry of a refused line has the hint too.
  const isEntry = code === 'usage' || code === 'arguments';
  return (
    <p role="alert" class="problem line-problem" dir="auto">
      {detail} {hint === undefined || isEntry ? undefined : <span class="soft">{hint}</span>}
    </p>
  );
}
