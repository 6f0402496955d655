/** One argument in the form, by the type of its schema. */
import { useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { problemFrom, sendJson } from '../api.ts';
import { announce } from '../room/notices.ts';
import type { ArgumentSchema, Command, RoomFile } from '../types.ts';
import { askAbout } from './completion.ts';
import { problem, secrets } from './state.ts';
import { MASK, type Offer, secretKey } from './text.ts';

interface FieldProps {
  readonly command: Pick<Command, 'name' | 'content' | 'inputSchema'>;
  readonly name: string;
  /** The argument whose values are offered, if its name is another. */
  readonly argument?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Shows an argument with its description. */
export function FormField({ command, name, argument = name, value, onChange }: FieldProps) {
  const known = useSignal<readonly Offer[]>([]);
  const { properties = {}, required = [] } = command.inputSchema;
  const { type, items, default: standard, description, writeOnly, examples = [''], ...schema } = properties[name] ?? {};
  const types = [type].flat();
  const { type: itemType, enum: itemChoices } = (items ?? {}) as ArgumentSchema;
  const isJson = types.includes('object') || itemType === 'object';
  const isSecret = writeOnly === true;
  // The argument takes the id of a file.
  const isFile = /^entry_?id$/i.test(name);
  const choices = schema.enum ?? (types.includes('boolean') ? [true, false] : undefined);
  // A secret is in memory only; the line has a mask.
  const shown = value === MASK ? (secrets.get(secretKey(command.name, name)) ?? '') : value;
  const put = (typed: string) => {
    if (isSecret) secrets.set(secretKey(command.name, name), typed);
    onChange(isSecret && typed !== '' ? MASK : typed);
  };
  const suggest = () => askAbout(`!${command.name} ${argument}=`).then((answer) => (known.value = answer.offers));
  const id = `argument-${name}`;
  const common = {
    ...{ id, 'aria-describedby': `${id}-about`, required: required.includes(name), dir: 'auto' as const },
    ...{ value: shown, placeholder: String(examples[0]), spellcheck: !isJson },
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => put(event.currentTarget.value),
  };
  const control = () => {
    if (isFile) return <input {...common} value="" type="file" onInput={(event) => void sendFile(event, onChange)} />;
    // The line may have another value, such as a reference.
    if (choices !== undefined) return <select {...common}>{optionsOf(['', ...choices, value])}</select>;
    if (isJson) return <textarea {...common} class={isSecret ? 'code veiled' : 'code'} rows={3} />;
    if (command.content.includes(name)) return <textarea {...common} rows={2} />;
    const kind = isSecret
      ? ({ type: 'password', autocomplete: 'new-password' } as const)
      : { list: `${id}-known`, autocomplete: 'off', onFocus: () => void suggest().catch(() => undefined) };
    return <input {...common} {...kind} />;
  };
  return (
    <div class="form-field">
      <label for={id}>
        <strong>{name}</strong> {required.includes(name) ? <span class="soft">required</span> : undefined}
      </label>
      {control()}
      <datalist id={`${id}-known`}>
        {known.value.map(({ text, description: about }) => (
          <option key={text} value={text.replace(/^["`](.*)["`]$/s, '$1')}>
            {about}
          </option>
        ))}
      </datalist>
      <p id={`${id}-about`} class="soft">
        {isFile ? <code>{value} </code> : undefined}
        {description}
        {types.includes('array') && !isJson ? ' Separate values by commas.' : ''}
        {itemChoices === undefined ? '' : ` Possible: ${itemChoices.join(', ')}.`}
        {standard === undefined ? '' : ` Default: ${JSON.stringify(standard)}.`}
      </p>
    </div>
  );
}

function optionsOf(choices: readonly unknown[]) {
  return [...new Set(choices.map((choice) => String(choice ?? '')))].map((choice) => (
    <option key={choice} value={choice}>
      {choice || 'Not set'}
    </option>
  ));
}

/** Sends a chosen or dropped file to the service; the argument is its id. */
async function sendFile(event: TargetedEvent<HTMLInputElement>, onSent: (id: string) => void): Promise<void> {
  const [file] = event.currentTarget.files ?? [];
  if (file === undefined) return;
  announce(`Sending ${file.name}…`);
  try {
    const headers = { 'content-type': file.type || 'application/octet-stream' };
    const path = `/v1/files?name=${encodeURIComponent(file.name)}`;
    onSent((await sendJson<RoomFile>(path, { method: 'POST', body: file, headers })).id);
    announce(`${file.name} was sent.`);
  } catch (thrown) {
    problem.value = problemFrom(thrown);
  }
}
