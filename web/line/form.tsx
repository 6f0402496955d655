/** The form of a command. It writes the line, and shows what the line has. */
import { room } from '../room/store.ts';
import { commands } from '../state.ts';
import type { Command } from '../types.ts';
import { askAbout } from './completion.ts';
import { FormField } from './form-field.tsx';
import { isDry, runLine } from './run.ts';
import { dialog, isFormWanted, setLine, text, understood } from './state.ts';
import { lineOf, type Pair, withPair } from './text.ts';

/** Shows the form for the command of the line. */
export function Form() {
  const command = commands.value.get(understood.value.command ?? '');
  if (command === undefined) {
    return (
      <div class="form">
        <p>
          The form shows the arguments of the command in the line.{' '}
          <button type="button" onClick={() => (dialog.value = 'commands')}>
            Choose a command
          </button>
        </p>
      </div>
    );
  }
  const { properties = {}, required = [] } = command.inputSchema;
  const names = Object.keys(properties);
  // The arguments of the example are what most people need.
  const isCommon = (name: string) => required.includes(name) || ` ${command.example}`.includes(` ${name}=`);
  const optional = names.filter((name) => !isCommon(name));
  const needed = names.filter(isCommon);
  const typed = understood.value.arguments;
  return (
    <fieldset
      key={command.name}
      class="form"
      aria-label={`Arguments of ${command.name}`}
      ref={focusFirst}
      onKeyDown={runByKey}
    >
      <p class="form-about">
        <strong>{command.name}</strong> {command.summary}{' '}
        {typed.length > 0 || command.example === '' ? undefined : (
          <button type="button" class="plain" onClick={() => setLine(`!${command.name} ${command.example}`)}>
            Fill in the example
          </button>
        )}
      </p>
      <Fields command={command} names={needed} typed={typed} />
      {optional.length === 0 ? undefined : (
        <details key={command.name} open={needed.length === 0}>
          <summary>
            More: {optional.length}
            {optional.some((name) => typed.some((pair) => pair.name === name)) ? ', some are set' : ''}
          </summary>
          <Fields command={command} names={optional} typed={typed} />
          <Rules command={command} />
        </details>
      )}
    </fieldset>
  );
}

/** Moves the focus into the form that was just chosen. */
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
  void runLine(text.value, { dryRun: isDry.value });
}

interface FieldsProps {
  readonly command: Command;
  readonly names: readonly string[];
  readonly typed: readonly Pair[];
}

function Fields({ command, names, typed }: FieldsProps) {
  const { properties = {}, required = [] } = command.inputSchema;
  return (
    <div class="form-fields">
      {names.map((name) => (
        <FormField
          key={`${command.name} ${name}`}
          command={command}
          name={name}
          schema={properties[name] ?? {}}
          isRequired={required.includes(name)}
          value={typed.find((pair) => pair.name === name)?.value ?? ''}
          onChange={(value) => void change(command, name, value)}
        />
      ))}
    </div>
  );
}

/** Writes the line anew with one argument changed. */
async function change(command: Command, name: string, value: string): Promise<void> {
  await catchUp();
  if (understood.value.command !== command.name || understood.value.line !== text.value) return;
  const pairs = withPair(understood.value.arguments, name, value);
  const line = lineOf(command.name, pairs);
  understood.value = { line, command: command.name, arguments: pairs };
  text.value = line;
}

/** Asks about what was typed into the line a moment ago, so that the form does not write over it. */
async function catchUp(): Promise<void> {
  const [line, id] = [text.value, room.peek()];
  if (understood.value.line === line || id === undefined) return;
  const answer = await askAbout(id, line, line.length).catch(() => undefined);
  if (answer !== undefined && text.value === line) understood.value = { ...answer, line };
}

function Rules({ command }: { readonly command: Command }) {
  const { rules } = command;
  if (rules.length === 0) return null;
  return (
    <ul class="soft form-rules">
      {rules.map((rule) => (
        <li key={rule}>{rule}</li>
      ))}
    </ul>
  );
}
