/** The dialogs of the page: commands, history and keys; and the keys that open them. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ENTRY_KEYS } from '../entries/keys.ts';
import { commands } from '../state.ts';
import { closeList } from './completion.ts';
import { past } from './history.ts';
import { closeDialog, Dialog, Picker } from './picker.tsx';
import { dialog, isFormOpen, isFormWanted, lineField, setLine, understood } from './state.ts';
import { familyOf, withWords } from './text.ts';

/** Shows the open dialog. */
export function Dialogs() {
  useEffect(() => {
    addEventListener('keydown', openByKey);
    return () => removeEventListener('keydown', openByKey);
  }, []);
  switch (dialog.value) {
    case 'commands':
      return <Picker label="Search commands" find={findCommands} onTake={takeCommand} help={helpOf} />;
    case 'history':
      return <Picker label="Search earlier lines" find={findLines} onTake={setLine} />;
    case 'keys':
      return <Keys />;
    default:
      return null;
  }
}

function openByKey(event: KeyboardEvent): void {
  const wanted = dialogFor(event);
  if (wanted === undefined) return;
  event.preventDefault();
  closeList();
  dialog.value ??= wanted;
}

function dialogFor({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): typeof dialog.value {
  const isField = target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
  const isCommand = (ctrlKey || metaKey) && !altKey;
  if (isCommand && key.toLowerCase() === 'k') return 'commands';
  // Elsewhere, the browser loads the page again.
  if (ctrlKey && key.toLowerCase() === 'r' && target === lineField()) return 'history';
  return key === '?' && !isField && !isCommand ? 'keys' : undefined;
}

/** Finds commands by words, first in the name, by family. */
function findCommands(words: string) {
  const all = [...commands.value.values()].map(({ name: text, summary: description }) => {
    return { text, description, group: familyOf(text) };
  });
  const byName = withWords(all, words, ({ text }) => text);
  const byText = withWords(all, words, (each) => Object.values(each).join(' '));
  const found = [...new Set([...byName, ...byText])];
  return [...new Set(found.map(({ group }) => group))].flatMap((title) => found.filter(({ group }) => group === title));
}

function findLines(words: string) {
  return withWords(past.value.toReversed(), words, (line) => line).map((text) => ({ text }));
}

function takeCommand(name: string): void {
  const hasArguments = Object.keys(commands.value.get(name)?.inputSchema.properties ?? {}).length > 0;
  const line = `!${name}${hasArguments ? ' ' : ''}`;
  setLine(line);
  understood.value = { line, command: name, arguments: [] };
  isFormOpen.value = hasArguments;
  isFormWanted.value = hasArguments;
}

function helpOf(name: string): ComponentChildren {
  const {
    summary,
    example = '',
    inputSchema: { properties = {}, required = [] } = {},
  } = commands.value.get(name) ?? {};
  return (
    <>
      <h2>{name}</h2>
      <p>{summary}</p>
      <code>
        !{name} {example}
      </code>
      <Terms
        terms={Object.entries(properties).map(([argument, { description }]) => [
          `${argument}${required.includes(argument) ? ' (required)' : ''}`,
          description,
        ])}
      />
    </>
  );
}

const KEYS = [
  ['Enter', 'Run the line; it stays, so that Enter repeats it and typing replaces it'],
  ['Ctrl+Enter', 'Run the line, also while an offer is chosen'],
  ['Shift+Enter', 'Begin a new row'],
  ['Tab', 'Take the chosen or the first offer'],
  ['Down, Up', 'Choose an offer; without a list, go through earlier lines'],
  ['Escape', 'Close the list or the dialog'],
  ['Ctrl+Space', 'Show the offers again'],
  ['Ctrl+K', 'Search the commands'],
  ['Ctrl+R', 'In the line: search earlier lines'],
  ['?', 'Show these keys'],
] as const;

function Keys() {
  return (
    <Dialog label="Keys">
      <h2>Keys</h2>
      <Terms terms={[...KEYS, ...ENTRY_KEYS]} />
      <button type="button" onClick={closeDialog}>
        Close
      </button>
    </Dialog>
  );
}

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
