/** The form of a command. It writes the line, and shows what the line has. */
import type { TargetedDragEvent } from 'preact';
import { Act } from '../entries/act.tsx';
import { commands } from '../state.ts';
import type { Command } from '../types.ts';
import { understand, understood } from './completion.ts';
import { FormField, sendFile, takesFile } from './form-field.tsx';
import { runLine } from './run.ts';
import { dialog, isFormWanted, setLine, text } from './state.ts';
import { lineOf, withPair } from './text.ts';

export function Form() {
  const command = commands.value.get(understood.value.command ?? '');
  if (command === undefined) return <Act on={() => (dialog.value = 'commands')}>Choose a command for the form</Act>;
  const { name, summary, example, rules } = command;
  const { properties = {}, required = [] } = command.inputSchema;
  const typed = understood.value.arguments;
  // The arguments of the example are what most people need.
  const isCommon = (argument: string) => required.includes(argument) || ` ${example}`.includes(` ${argument}=`);
  const more = Object.keys(properties).filter((argument) => !isCommon(argument));
  const common = Object.keys(properties).filter(isCommon);
  const words = typed.filter((pair) => pair.name === '').map(({ value }) => value);
  const file = Object.keys(properties).find(takesFile);
  const onDrag = (event: TargetedDragEvent<HTMLFieldSetElement>) => {
    if (file === undefined || event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    event.currentTarget.classList.toggle('dropping', event.type === 'dragover');
    if (event.type === 'drop') void sendFile(event.dataTransfer.files[0], (id) => change(name, file, id));
  };
  return (
    <fieldset
      {...{ key: name, class: 'form', 'aria-label': `Arguments of ${name}`, ref: focusFirst, onKeyDown: runByKey }}
      {...{ onDragOver: onDrag, onDragLeave: onDrag, onDrop: onDrag }}
    >
      <strong>{name}</strong> {summary}{' '}
      {typed.length > 0 || example === '' ? undefined : (
        <Act class="plain" on={() => setLine(`!${name} ${example}`)}>
          Fill in the example
        </Act>
      )}
      {words.length === 0 ? undefined : (
        <p class="warn" dir="auto">
          Only in the line: {words.join(' ')}. A value with spaces needs quotes there.
        </p>
      )}
      {fieldsOf(command, common)}
      {more.length === 0 ? undefined : (
        <details open={common.length === 0}>
          <summary>
            More: {more.length}
            {typed.some((pair) => more.includes(pair.name)) ? ', some are set' : ''}
          </summary>
          {fieldsOf(command, more)}
          <p class="soft">{rules.join(' ')}</p>
        </details>
      )}
    </fieldset>
  );
}

function fieldsOf(command: Command, names: readonly string[]) {
  const typed = understood.value.arguments;
  return (
    <div class="form-fields">
      {names.map((name) => (
        <FormField
          {...{ key: name, command, name }}
          value={typed.find((pair) => pair.name === name)?.value ?? ''}
          onChange={(value) => void change(command.name, name, value)}
        />
      ))}
    </div>
  );
}

/** Moves the focus into a form that was just chosen. */
function focusFirst(form: HTMLFieldSetElement | null): void {
  if (form === null || !isFormWanted.peek()) return;
  isFormWanted.value = false;
  form.querySelector<HTMLElement>('input, select, textarea')?.focus();
}

/** Runs the line by Enter in a field of one row, and by Ctrl+Enter in any. */
function runByKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, isComposing, repeat, target } = event;
  const isRow = target instanceof HTMLInputElement && target.type !== 'file';
  if (key !== 'Enter' || isComposing || repeat || !(isRow || ctrlKey || metaKey)) return;
  event.preventDefault();
  void runLine(text.value);
}

/** Writes the line again with one argument changed. */
async function change(command: string, name: string, value: string): Promise<void> {
  // What was typed into the line a moment ago must not be lost.
  if (understood.value.line !== text.value) await understand();
  const before = understood.value;
  if (before.command !== command || before.line !== text.value) return;
  const pairs = withPair(before.arguments, name, value);
  const line = lineOf(command, pairs);
  understood.value = { ...before, line, arguments: pairs, offers: [] };
  text.value = line;
}
