/** One argument in the form, by the type of its schema. */
import { useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type JsonSyntaxError, parseJsonText } from '../../lib/core/json-text.ts';
import { problemFrom, sendJson } from '../api.ts';
import { Act } from '../entries/act.tsx';
import { visible } from '../entries/cells.ts';
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

export function FormField({ command, name, argument = name, value, onChange }: FieldProps) {
  const known = useSignal<readonly Offer[]>([]);
  const { properties = {}, required = [] } = command.inputSchema;
  const { type, items, default: standard, description, writeOnly, examples = [''], ...schema } = properties[name] ?? {};
  const types = [type].flat();
  const { type: itemType, enum: itemChoices } = (items ?? {}) as ArgumentSchema;
  const isJson = types.includes('object') || itemType === 'object';
  const isSecret = writeOnly === true;
  const isFile = takesFile(name);
  const file = sent.get(value);
  const choices = schema.enum ?? (types.includes('boolean') ? [true, false] : undefined);
  // A secret is in memory only; the line has a mask.
  const shown = value === MASK ? (secrets.get(secretKey(command.name, name)) ?? '') : value;
  const put = (typed: string) => {
    if (isSecret) secrets.set(secretKey(command.name, name), typed);
    onChange(isSecret && typed !== '' ? MASK : typed);
  };
  const suggest = () => askAbout(`!${command.name} ${argument}=`).then((answer) => (known.value = answer.offers));
  const id = `argument-${name}`;
  const error = useJsonError(isJson || (types.includes('array') && /^\s*\[/.test(shown)) ? shown : '');
  const common = {
    ...{ id, 'aria-describedby': `${id}-error ${id}-about`, 'aria-invalid': error !== undefined },
    ...{ required: required.includes(name), dir: 'auto' as const },
    ...{ value: shown, placeholder: String(examples[0]), spellcheck: !isJson },
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => put(event.currentTarget.value),
  };
  const control = () => {
    if (isFile) {
      const send = (event: TargetedEvent<HTMLInputElement>) => void sendFile(event.currentTarget.files?.[0], onChange);
      return <input {...common} value="" type="file" hidden={value !== ''} onInput={send} />;
    }
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
      <p id={`${id}-error`} role="status">
        {error === undefined ? undefined : (
          <Act class="plain problem" on={() => showPlace(id, error)}>
            Line {error.line}, column {error.column}: {error.message}
          </Act>
        )}
      </p>
      {isFile && value !== '' ? (
        <p>
          <bdi>{visible(file?.name ?? value)}</bdi>{' '}
          <span class="soft">{file === undefined ? '' : `${Math.ceil(file.size / 1000)} kB`}</span>{' '}
          <Act on={() => onChange('')}>
            Remove<span class="hidden"> the file</span>
          </Act>
        </p>
      ) : undefined}
      <p id={`${id}-about`} class="soft">
        {description}
        {isFile ? ' It can be dropped anywhere on the form.' : ''}
        {types.includes('array') && !isJson && !/\bas a JSON/.test(description ?? '')
          ? ' Separate values by commas.'
          : ''}
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

/** Time without a letter before a JSON text is checked, in milliseconds. */
const CHECK_MS = 500;

/** Finds the first error of a JSON text, once typing pauses. What a reference stands for is unknown. */
function useJsonError(text: string): JsonSyntaxError | undefined {
  const [error, setError] = useState<JsonSyntaxError | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => {
      const parsed = text.trim() === '' || text.includes('${') ? { value: '' } : parseJsonText(text);
      setError('error' in parsed ? parsed.error : undefined);
    }, CHECK_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return error;
}

/** Selects the character at which a text is wrong. */
function showPlace(id: string, { line, column }: JsonSyntaxError): void {
  const field = document.getElementById(id) as HTMLTextAreaElement;
  const before = field.value.split('\n', line - 1).map((row) => row.length + 1);
  const at = before.reduce((sum, length) => sum + length, column - 1);
  field.focus();
  field.setSelectionRange(at, at + 1);
}

/** Reports whether an argument takes the id of a file. */
export function takesFile(name: string): boolean {
  return /^entry_?id$/i.test(name);
}

/** Files that this page has sent, by their ids. */
const sent = new Map<string, File>();

/** Sends a chosen or dropped file to the service; the argument is its id. */
export async function sendFile(file: File | undefined, onSent: (id: string) => unknown): Promise<void> {
  if (file === undefined) return;
  announce(`Sending ${visible(file.name)}…`);
  try {
    const headers = { 'content-type': file.type || 'application/octet-stream' };
    const path = `/v1/files?name=${encodeURIComponent(file.name)}`;
    const { id } = await sendJson<RoomFile>(path, { method: 'POST', body: file, headers });
    sent.set(id, file);
    onSent(id);
  } catch (thrown) {
    problem.value = problemFrom(thrown);
  }
}
