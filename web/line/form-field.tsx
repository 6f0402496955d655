/** One argument in the form, by the type of its schema. */
import { useSignal } from '@preact/signals';
import { problemFrom, sendJson } from '../api.ts';
import { room } from '../room/store.ts';
import type { ArgumentSchema, Command, RoomFile } from '../types.ts';
import { askAbout } from './completion.ts';
import { secrets } from './state.ts';
import { jsonMistake, MASK, type Offer } from './text.ts';

interface FieldProps {
  readonly command: Command;
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Names of the arguments that take the id of a file. */
const FILE = /^entry_?id$/i;

/** Shows an argument with its description. */
export function FormField({ command, name, value, onChange }: FieldProps) {
  const { properties = {}, required = [] } = command.inputSchema;
  const { type, items, default: standard, description, writeOnly, enum: choices, examples } = properties[name] ?? {};
  const types = [type].flat();
  const { type: itemType, enum: itemChoices } = (items ?? {}) as ArgumentSchema;
  const isJson = types.includes('object') || itemType === 'object';
  const isSecret = writeOnly === true;
  const closed = choices ?? itemChoices ?? (types.includes('boolean') ? [true, false] : undefined);
  // A secret is in memory only; the line has a mask.
  const shown = value === MASK ? (secrets.get(name) ?? '') : value;
  const put = (typed: string) => {
    if (isSecret) secrets.set(name, typed);
    onChange(isSecret && typed !== '' ? MASK : typed);
  };
  const mistake = isJson ? jsonMistake(shown) : undefined;
  const id = `argument-${name}`;
  const common = {
    ...{ id, 'aria-describedby': `${id}-about`, 'aria-invalid': mistake !== undefined },
    ...{ 'aria-required': required.includes(name), value: shown, dir: 'auto' as const },
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => put(event.currentTarget.value),
  };
  const control = () => {
    if (FILE.test(name)) return <FileInput {...{ id, value, onChange }} />;
    if (closed !== undefined) return <Choice {...{ id, value, onChange, closed, isMany: itemChoices !== undefined }} />;
    if (isJson) return <textarea {...common} class={isSecret ? 'code veiled' : 'code'} rows={3} spellcheck={false} />;
    if (isSecret) return <input {...common} type="password" autocomplete="new-password" />;
    if (command.content.includes(name)) return <textarea {...common} rows={2} />;
    return <TextInput {...{ command, name, common, example: examples?.[0] }} />;
  };
  return (
    <div class="form-field">
      <label for={id}>
        {name} {required.includes(name) ? <span class="soft">required</span> : undefined}
      </label>
      {control()}
      <p id={`${id}-about`} class="soft">
        {mistake === undefined ? undefined : <span class="problem">{mistake} </span>}
        {description}
        {types.includes('array') && !isJson && closed === undefined ? ' Separate values by commas.' : ''}
        {standard === undefined ? '' : ` Default: ${JSON.stringify(standard)}.`}
      </p>
    </div>
  );
}

interface ChoiceProps extends Pick<FieldProps, 'value' | 'onChange'> {
  readonly id: string;
  readonly closed: readonly unknown[];
  readonly isMany: boolean;
}

function Choice({ id, value, onChange, closed, isMany }: ChoiceProps) {
  const chosen = isMany ? value.split(',').filter((each) => each !== '') : [value].filter((each) => each !== '');
  // The line may also have a reference.
  const all = new Set([...closed.filter((each) => each !== null).map(String), ...chosen]);
  return (
    <select
      id={id}
      aria-describedby={`${id}-about`}
      multiple={isMany}
      onChange={({ currentTarget }) =>
        onChange(Array.from(currentTarget.selectedOptions, (each) => each.value).join(','))
      }
    >
      {isMany ? undefined : <option value="">Not set</option>}
      {[...all].map((choice) => (
        <option key={choice} value={choice} selected={chosen.includes(choice)}>
          {choice}
        </option>
      ))}
    </select>
  );
}

interface TextProps extends Pick<FieldProps, 'command' | 'name'> {
  readonly common: { readonly id: string };
  readonly example: unknown;
}

/** A text with the values of the tenant as suggestions, fetched when it gets the focus. */
function TextInput({ command, name, common, example }: TextProps) {
  const known = useSignal<readonly Offer[]>([]);
  const suggest = async () => {
    const id = room.peek();
    const line = `!${command.name} ${name}=`;
    if (id !== undefined) known.value = (await askAbout(id, line, line.length)).offers;
  };
  return (
    <>
      <input
        {...common}
        type="text"
        autocomplete="off"
        placeholder={example === undefined ? undefined : String(example)}
        list={`${common.id}-known`}
        onFocus={() => void suggest().catch(() => undefined)}
      />
      <datalist id={`${common.id}-known`}>
        {known.value.map(({ text, description }) => (
          <option key={text} value={text.replace(/^["`](.*)["`]$/s, '$1')}>
            {description}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** Sends a chosen or dropped file to the service; the argument is its id. */
function FileInput({ id, value, onChange }: Pick<FieldProps, 'value' | 'onChange'> & { readonly id: string }) {
  const said = useSignal('');
  const sendFile = async (file: File | undefined) => {
    if (file === undefined) return;
    said.value = `Sending ${file.name}…`;
    try {
      const headers = { 'content-type': file.type === '' ? 'application/octet-stream' : file.type };
      const path = `/v1/files?name=${encodeURIComponent(file.name)}`;
      onChange((await sendJson<RoomFile>(path, { method: 'POST', body: file, headers })).id);
      said.value = `${file.name} was sent.`;
    } catch (thrown) {
      said.value = problemFrom(thrown).detail;
    }
  };
  return (
    <>
      <input
        id={id}
        type="file"
        aria-describedby={`${id}-about`}
        onChange={(event) => void sendFile(event.currentTarget.files?.[0])}
      />
      <p role="status">
        <code>{value}</code> {said.value}
      </p>
    </>
  );
}
