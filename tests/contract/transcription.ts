/**
 * Reads the transcription of the specification, one YAML file per document:
 *
 * - `choices`: closed lists with a name; `records`: fields that several commands return.
 * - `takes`: the arguments, and `also`: those beyond the specification, each `name!~:kind=default(choice|choice)`:
 *   `!` is required, `~` can be cleared by the text `null`. Texts with a space are quoted.
 * - `AiSec.Path`: what is left there, a record by its name or fields by their type; `like` includes another record. A
 *   second path is left at the end of a job.
 * - `further`: fields beyond the specification, with any members.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

// Nothing here depends on how the runtime declares a command.

export type ContextType = 'String' | 'Number' | 'Boolean' | 'Date' | 'Unknown';

/** Types of a context path's fields, by name. A dotted name is a nested field, the empty name the path itself. */
export type ContractFields = Readonly<Record<string, ContextType>>;

export interface ContractArgument {
  name: string;
  required?: true;
  /** The default that the platform passes if the argument is missing. */
  default?: string;
  /** The allowed values if the list is closed; an open list is omitted. */
  choices?: readonly string[];
  kind?: 'boolean' | 'number' | 'list' | 'json' | 'file';
  /** The text `null` clears the field. */
  clears?: true;
}

export interface ContractCommand {
  command: string;
  arguments: readonly ContractArgument[];
  /** Arguments beyond the specification that the command may have; never required. */
  extensions?: readonly ContractArgument[];
  /** Context path of the result, for example `AiSec.Topic`; empty if the command writes no context. */
  context: string;
  outputs: ContractFields;
  /** Fields beyond the specification that the result may have, with any members. */
  outputExtensions?: readonly string[];
  /** Further output when a job ends, as an extension: context path and fields. */
  atEnd?: { context: string; outputs: ContractFields };
}

type Texts = Readonly<Record<string, string>>;

interface Document {
  choices?: Texts;
  records?: Readonly<Record<string, Texts>>;
  commands: Readonly<Record<string, Readonly<Record<string, string | Texts>>>>;
}

const KINDS = ['boolean', 'number', 'list', 'json', 'file'] as const;
const TYPES: readonly ContextType[] = ['String', 'Number', 'Boolean', 'Date', 'Unknown'];
const ARGUMENT =
  /^(?<name>\w+)(?<required>!)?(?<clears>~)?(?::(?<kind>\w+))?(?:=(?<value>[^(]+))?(?:\((?<list>.+)\))?$/;

const words = (text = ''): string[] => text.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
const plain = (text: string): string => text.replaceAll('"', '');

function argumentOf(text: string, choices: Texts): ContractArgument {
  const { name, required, clears, kind, value, list } = ARGUMENT.exec(text)?.groups ?? {};
  const known = KINDS.find((one) => one === kind);
  if (name === undefined || known !== kind) throw new Error(`not an argument of the transcription: ${text}`);
  const named = list === undefined ? undefined : choices[list];
  return {
    name,
    ...(required !== undefined && { required: true }),
    ...(value !== undefined && { default: plain(value) }),
    ...(list !== undefined && { choices: (named === undefined ? list.split('|') : words(named)).map(plain) }),
    ...(known !== undefined && { kind: known }),
    ...(clears !== undefined && { clears: true }),
  };
}

function fieldsOf(record: string | Texts, records: Readonly<Record<string, Texts>>): ContractFields {
  if (typeof record === 'string') {
    const named = records[record];
    if (named === undefined) throw new Error(`the transcription has no record ${record}`);
    return fieldsOf(named, records);
  }
  const fields = Object.entries(record).flatMap(([key, text]): [string, ContextType][] => {
    if (key === 'like') return Object.entries(fieldsOf(text, records));
    const type = TYPES.find((one) => one === key.replace('?', ''));
    if (type === undefined) throw new Error(`the transcription has an unknown type: ${key}`);
    return words(text).map((name) => [name === '(itself)' ? '' : name, type]);
  });
  return Object.fromEntries(fields);
}

function commandOf(command: string, entry: Document['commands'][string], document: Document): ContractCommand {
  const { takes = '', also, further, ...left } = entry;
  const { choices = {}, records = {} } = document;
  const listOf = (text: string | Texts) => words(String(text)).map((word) => argumentOf(word, choices));
  const [first, atEnd] = Object.entries(left).map(([context, record]) => ({
    context,
    outputs: fieldsOf(record, records),
  }));
  return {
    command,
    arguments: listOf(takes),
    ...(also !== undefined && { extensions: listOf(also) }),
    ...(first ?? { context: '', outputs: {} }),
    ...(further !== undefined && { outputExtensions: words(String(further)) }),
    ...(atEnd !== undefined && { atEnd }),
  };
}

/** Reads one document of the specification, such as `runtime`. @returns its commands in order */
export function transcribed(name: string): readonly ContractCommand[] {
  const document: Document = parse(readFileSync(new URL(`./${name}.yml`, import.meta.url), 'utf8'));
  return Object.entries(document.commands).map(([command, entry]) => commandOf(command, entry, document));
}
