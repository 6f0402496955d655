/**
 * Command metadata without handlers: the source of help, completion, the command reference and `integration.yml`. The
 * build writes it as plain data.
 */
import type { describe } from './describe.ts';

export type CommandInfo = Readonly<ReturnType<typeof describe>>;
export type ArgumentInfo = CommandInfo['arguments'][number];
export type Catalogue = readonly CommandInfo[];

const TAB = '\t';

/** Serializes the catalogue. @returns ASCII: name, summary and full JSON, separated by tabs */
export function catalogueText(catalogue: Catalogue): string {
  return catalogue.map((info) => [info.name, info.summary, ascii(JSON.stringify(info))].join(TAB)).join('\n');
}

function ascii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Parses the catalogue; the JSON of a command is parsed on first access. @param text from `catalogueText` */
export function readCatalogue(text: string): Catalogue {
  return text.split('\n').map(readInfo);
}

/** Members that exist only in a command's JSON. */
const LATER = [
  'effect',
  'outside',
  'repeatable',
  'example',
  'rules',
  'arguments',
  'job',
  'context',
  'listed',
  'outputs',
] as const;

function readInfo(line: string): CommandInfo {
  const [name = '', summary = '', json = ''] = line.split(TAB, 3);
  let read: CommandInfo | undefined;
  const all = () => {
    read ??= JSON.parse(json) as CommandInfo;
    return read;
  };
  const getters = LATER.map((member) => [member, { get: () => all()[member], enumerable: true }] as const);
  return Object.defineProperties({ name, summary }, Object.fromEntries(getters)) as CommandInfo;
}

/** Marks an argument that the interface document lacks, in the manifest, the reference and help. */
export const EXTENSION = 'Specific to aisec.';

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Joins parts into sentences, and marks an extension. */
export function sentences(parts: readonly string[], extension: boolean): string {
  return [...parts.map(sentence), ...(extension ? [EXTENSION] : [])].join(' ');
}
