/** The dialogs of the page: commands, history and keys; and the keys that open them. */
import type { ComponentChildren } from 'preact';
import { ENTRY_KEYS } from '../entries/actions.ts';
import { commands, login } from '../state.ts';
import { understood } from './completion.ts';
import { Dialog, Picker } from './picker.tsx';
import { runText } from './run.ts';
import { dialog, focusLine, isFormOpen, isFormWanted, isListOpen, lineField, past, setLine, text } from './state.ts';
import { commandIn, helpWanted, inFull } from './text.ts';

export function Dialogs() {
  const known = [...commands.value.values()].map(({ name, summary }) => ({ text: name, description: summary }));
  switch (dialog.value) {
    case 'commands':
      return (
        <Picker
          {...{ label: 'Search commands', items: known, onTake: takeCommand, help: helpOf }}
          words={helpWanted(text.value)}
        />
      );
    case 'history':
      return <Picker label="Search earlier lines" items={past.value.map((text) => ({ text }))} onTake={setLine} />;
    case 'keys':
      return (
        <Dialog label="Keys">
          <h2 autofocus tabIndex={-1}>
            Keys
          </h2>
          <Terms terms={[...KEYS, ...ENTRY_KEYS]} />
        </Dialog>
      );
    default:
      return null;
  }
}

export const TOOLS = [
  ['Commands', 'Ctrl K', 'commands'],
  ['History', 'Ctrl R', 'history'],
  ['Keys', '?', 'keys'],
] as const;

function openByKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, target } = event;
  const pressed = `${ctrlKey || metaKey ? 'Ctrl ' : ''}${key.toUpperCase()}`;
  const [, , wanted] = TOOLS.find(([, keys]) => keys === pressed) ?? [];
  const isField = target instanceof Element && target.matches('input, textarea, select');
  // These are texts too, and outside the line the browser's own key loads the page again.
  const isOther =
    wanted === 'history' ? metaKey || target !== lineField.value : isField && (wanted === 'keys' || pressed === '/');
  if (isOther || login.value !== 'in' || (wanted === undefined && pressed !== '/')) return;
  event.preventDefault();
  isListOpen.value = false;
  if (wanted !== undefined) dialog.value ??= wanted;
  else if (dialog.value === undefined) focusLine();
}

addEventListener('keydown', openByKey);

/** Runs the line, or shows the help that it asks for. */
export function enterLine(): void {
  const asked = helpWanted(text.value);
  const name = commandIn(inFull(asked ?? '', (each) => commands.value.has(each)));
  if (asked === undefined) runText();
  else if (commands.value.has(name)) takeCommand(name);
  else dialog.value = 'commands';
}

/** Begins the line of a command, and opens its form. */
function takeCommand(name: string): void {
  const line = `!${name} `;
  understood.value = { ...understood.value, line, command: name, arguments: [], offers: [] };
  setLine(line);
  isFormWanted.value = true;
  isFormOpen.value = true;
}

function helpOf(name: string): ComponentChildren {
  const { summary, example, inputSchema } = commands.value.get(name) ?? {};
  const { properties = {}, required = [] } = inputSchema ?? {};
  const titleOf = (argument: string) => `${argument}${required.includes(argument) ? ' (required)' : ''}`;
  return (
    <>
      <h2>{name}</h2>
      <p>{summary}</p>
      <code>
        !{name} {example}
      </code>
      <Terms
        terms={Object.entries(properties).map(([argument, { description }]) => [titleOf(argument), description])}
      />
    </>
  );
}

const KEYS = [
  ['Enter', 'Run the line; it stays selected: Enter repeats it, and typing replaces it'],
  ['Ctrl+Enter', 'Run the line, even while a suggestion is selected'],
  ['Shift+Enter', 'Start a new line of text'],
  ['Tab', 'Accept the selected or the first suggestion'],
  ['Down, Up', 'Select a suggestion; without suggestions, go through earlier lines'],
  ['Escape', 'Close the suggestions or the dialog'],
  ['Ctrl+Space', 'Show the suggestions again'],
  ['Ctrl+K', 'Search the commands'],
  ['Ctrl+R', 'In the line: search earlier lines'],
  ['/', 'Outside a field: go to the line'],
  ['?', 'Outside a field: show these keys; in the line, ? and a word search the commands'],
] as const;

function Terms({ terms }: { readonly terms: readonly (readonly [term: string, about: string | undefined])[] }) {
  return (
    <dl>
      {terms.map(([term, about]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd class="soft">{about}</dd>
        </div>
      ))}
    </dl>
  );
}
