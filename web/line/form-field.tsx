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
  readonly schema: ArgumentSchema;
  readonly isRequired: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

type Kind = 'file' | 'choice' | 'choices' | 'json' | 'number' | 'secret' | 'secret json' | 'long' | 'text';

/** Names of the arguments that take the id of a file. */
const FILE = /^entry_?id$/i;

function kindOf({ command, name, schema }: FieldProps): Kind {
  const types = [schema.type].flat();
  const items = schema['items'] as ArgumentSchema | undefined;
  const isJson = types.includes('object') || items?.type === 'object';
  if (schema['writeOnly'] === true) return isJson ? 'secret json' : 'secret';
  if (FILE.test(name)) return 'file';
  if (isJson) return 'json';
  if (items?.enum !== undefined) return 'choices';
  if (schema.enum !== undefined || types.includes('boolean')) return 'choice';
  if (types.includes('integer') || types.includes('number')) return 'number';
  return command.content.includes(name) ? 'long' : 'text';
}

/** Shows an argument with its description. */
export function FormField(props: FieldProps) {
  const { name, schema, isRequired, value } = props;
  const kind = kindOf(props);
  const id = `argument-${name}`;
  const mistake = kind === 'json' || kind === 'secret json' ? jsonMistake(shownSecret(name, value)) : undefined;
  const common = {
    id,
    'aria-describedby': `${id}-about`,
    'aria-required': isRequired,
    'aria-invalid': mistake !== undefined,
  };
  return (
    <div class="form-field">
      <label for={kind === 'choices' ? undefined : id} id={`${id}-label`}>
        {name} {isRequired ? <span class="soft">required</span> : undefined}
      </label>
      <Control {...props} kind={kind} common={common} />
      <p id={`${id}-about`} class="soft">
        {mistake === undefined ? undefined : <span class="problem">{mistake} </span>}
        {schema.description}
        {kind === 'text' && [schema.type].flat().includes('array') ? ' Separate values by commas.' : ''}
        {schema.default === undefined ? '' : ` Default: ${JSON.stringify(schema.default)}.`}
      </p>
    </div>
  );
}

interface ControlProps extends FieldProps {
  readonly kind: Kind;
  /** Attributes of the control. */
  readonly common: {
    readonly id: string;
    readonly 'aria-describedby': string;
    readonly 'aria-required': boolean;
    readonly 'aria-invalid': boolean;
  };
}

/** A secret is in memory only; the line has a mask. */
function shownSecret(name: string, value: string): string {
  return value === MASK ? (secrets.get(name) ?? '') : value;
}

function Control(props: ControlProps) {
  const { kind, name, schema, value, onChange, common } = props;
  const keepSecret = (secret: string) => {
    secrets.set(name, secret);
    onChange(secret === '' ? '' : MASK);
  };
  switch (kind) {
    case 'choice':
      return <Choice {...props} />;
    case 'choices':
      return <Choices {...props} />;
    case 'file':
      return <FileChoice {...props} />;
    case 'secret':
      return (
        <input
          {...common}
          type="password"
          autocomplete="new-password"
          value={shownSecret(name, value)}
          onInput={(event) => keepSecret(event.currentTarget.value)}
        />
      );
    case 'json':
    case 'secret json':
    case 'long':
      return (
        <textarea
          {...common}
          class={kind === 'long' ? '' : kind === 'json' ? 'code' : 'code veiled'}
          rows={kind === 'long' ? 2 : 3}
          dir="auto"
          spellcheck={kind === 'long'}
          value={kind === 'secret json' ? shownSecret(name, value) : value}
          onInput={(event) => (kind === 'secret json' ? keepSecret : onChange)(event.currentTarget.value)}
        />
      );
    default:
      return <TextInput {...props} isNumber={kind === 'number'} example={schema.examples?.[0]} />;
  }
}

function Choice({ schema, value, onChange, common, isRequired }: ControlProps) {
  const declared = (schema.enum ?? [true, false]).filter((each) => each !== null).map(String);
  // A reference, for example.
  const all = value === '' || declared.includes(value) ? declared : [...declared, value];
  return (
    <select {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{isRequired ? 'Choose' : 'Not set'}</option>
      {all.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}

function Choices({ schema, value, onChange, common }: ControlProps) {
  const declared = ((schema['items'] as ArgumentSchema).enum ?? []).map(String);
  const chosen = value.split(',').filter((each) => each !== '');
  const toggled = (choice: string) =>
    chosen.includes(choice) ? chosen.filter((each) => each !== choice) : [...chosen, choice];
  return (
    <fieldset aria-labelledby={`${common.id}-label`} aria-describedby={`${common.id}-about`}>
      {declared.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={() => onChange(toggled(choice).join(','))}
          />{' '}
          {choice}
        </label>
      ))}
    </fieldset>
  );
}

interface TextProps extends ControlProps {
  readonly isNumber: boolean;
  readonly example: unknown;
}

/** A text with the values of the tenant as suggestions, fetched when it gets the focus. */
function TextInput({ command, name, value, onChange, common, isNumber, example }: TextProps) {
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
        dir="auto"
        autocomplete="off"
        inputMode={isNumber ? 'numeric' : undefined}
        placeholder={example === undefined ? undefined : String(example)}
        list={`${common.id}-known`}
        value={value}
        onFocus={() => void suggest().catch(() => undefined)}
        onInput={(event) => onChange(event.currentTarget.value)}
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
function FileChoice({ value, onChange, common }: ControlProps) {
  const said = useSignal('');
  const sendFile = async (file: File | null | undefined) => {
    if (file === null || file === undefined) return;
    said.value = `Sending ${file.name}…`;
    try {
      const path = `/v1/files?name=${encodeURIComponent(file.name)}`;
      const headers = { 'content-type': file.type === '' ? 'application/octet-stream' : file.type };
      const sent = await sendJson<RoomFile>(path, { method: 'POST', body: file, headers });
      said.value = `${file.name} was sent.`;
      onChange(sent.id);
    } catch (thrown) {
      said.value = problemFrom(thrown).detail;
    }
  };
  return (
    <div class="form-file">
      <input {...common} type="file" onChange={(event) => void sendFile(event.currentTarget.files?.[0])} />
      {value === '' ? undefined : <code>{value}</code>} <span role="status">{said.value}</span>
    </div>
  );
}
