/** The dialogs of the page: commands, history and keys; and the keys that open them. */
import { useEffect } from 'preact/hooks';
import { ENTRY_KEYS } from '../entries/keys.ts';
import { commands } from '../state.ts';
import type { Command } from '../types.ts';
import { closeList } from './completion.ts';
import { past } from './history.ts';
import { closeDialog, Dialog, type Item, Picker } from './picker.tsx';
import { dialog, isFormOpen, isFormWanted, lineField, setLine, understood } from './state.ts';
import { familyOf, withWords } from './text.ts';

/** Shows the open dialog. */
export function Dialogs() {
  useEffect(() => {
    addEventListener('keydown', openByKey);
    return () => removeEventListener('keydown', openByKey);
  }, []);
  if (dialog.value === 'commands') return <Palette />;
  if (dialog.value === 'history') return <PastLines />;
  return dialog.value === 'keys' ? <Keys /> : null;
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

function close(): void {
  dialog.value = undefined;
}

/** Finds a command by words. */
function Palette() {
  const find = (words: string): readonly Item[] => {
    const all = [...commands.value.values()].map(({ name, summary }) => ({
      ...{ id: name, title: name.replace(/^aisec-/, ''), about: summary },
      group: familyOf(name),
    }));
    const byName = withWords(all, words, ({ id }) => id);
    const byText = withWords(all, words, ({ id, about, group }) => `${id} ${about} ${group}`);
    const found = [...new Set([...byName, ...byText])];
    const groups = [...new Set(found.map(({ group }) => group))];
    return groups.flatMap((group) => found.filter((item) => item.group === group));
  };
  const take = ({ id }: Item) => {
    const { properties = {} } = commands.value.get(id)?.inputSchema ?? {};
    const hasArguments = Object.keys(properties).length > 0;
    const line = `!${id}${hasArguments ? ' ' : ''}`;
    setLine(line);
    understood.value = { line, command: id, arguments: [] };
    isFormOpen.value = hasArguments;
    isFormWanted.value = hasArguments;
  };
  const help = ({ id }: Item) => {
    const command = commands.value.get(id);
    return command === undefined ? undefined : <CommandHelp command={command} />;
  };
  return <Picker label="Search commands" find={find} onTake={take} onClose={close} help={help} />;
}

function CommandHelp({ command }: { readonly command: Command }) {
  const { properties = {}, required = [] } = command.inputSchema;
  return (
    <>
      <h2>{command.name}</h2>
      <p>{command.summary}</p>
      <p>
        <code>
          !{command.name} {command.example}
        </code>
      </p>
      <dl>
        {Object.entries(properties).map(([name, { description }]) => (
          <div key={name}>
            <dt>
              {name} {required.includes(name) ? <span class="soft">required</span> : undefined}
            </dt>
            <dd class="soft">{description}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Finds an earlier line by words. */
function PastLines() {
  const find = (words: string) =>
    withWords(past.value.toReversed(), words, (line) => line).map((line) => ({ id: line, title: line }));
  return <Picker label="Search earlier lines" find={find} onTake={({ title }) => setLine(title)} onClose={close} />;
}

const KEYS: readonly (readonly [keys: string, effect: string])[] = [
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
];

function Keys() {
  return (
    <Dialog label="Keys" onClose={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {[...KEYS, ...ENTRY_KEYS].map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={closeDialog}>
        Close
      </button>
    </Dialog>
  );
}
