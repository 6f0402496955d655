/**
 * Reads the goldens: one YAML file per family, with the key and the cases of each command, and the requirements that
 * they claim. A case has
 *
 * - `args` as typed, `json` for arguments whose value is JSON, and `files` with their texts;
 * - a line for each request, such as `GET mgmt/topic/$topic`, with `body`, `status` and `answer` (`#2` is the same
 *   request again);
 * - `leaves`, the fields whose context value differs from the last answer. The rest follows from the transcription of
 *   the specification: a declared field has the member of this name, or null. A list has an entry for each record in
 *   the answer's only list, and may be shorter. `value` is the whole context value instead;
 * - `planned`, the body of the dry run if secrets change it, and null if a dry run makes every request; `asSent` for
 *   records that keep what the service adds.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { due } from '../contract/commands.ts';
import type { ContractCommand } from '../contract/transcription.ts';
import { DLP, type Exchange, HOSTS, MANAGEMENT, TENANT } from '../support/scripted.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A command, everything it sends and everything it leaves. */
export interface Golden {
  command: string;
  /** Title of the case. */
  what: string;
  /** The fields that tell the command's records apart. */
  key: readonly string[];
  /** The arguments, as they are typed. */
  args: string;
  files?: Readonly<Record<string, string>> | undefined;
  script: readonly Exchange[];
  /** The value left at the command's context path. */
  value: unknown;
  planned?: unknown;
  asSent?: boolean | undefined;
  claims?: readonly string[];
}

/** A case as written in the file. */
interface Written extends Omit<Golden, 'command' | 'what' | 'key' | 'script' | 'claims' | 'args'> {
  args?: string;
  json?: Fields;
  leaves?: Fields | readonly Fields[];
}

const RED_TEAM = `${HOSTS.management}/ai-red-teaming`;

/** Addresses of the planes, such as `GET ${PLANES['redteam/mgmt']}/target`. */
export const PLANES = {
  scanner: HOSTS.scanner,
  dlp: DLP,
  mgmt: MANAGEMENT,
  'redteam/mgmt': `${RED_TEAM}/mgmt-plane/v1`,
  'redteam/data': `${RED_TEAM}/data-plane/v1`,
  'redteam/broker': `${RED_TEAM}/data-plane/network-broker/v1`,
  'models/data': `${HOSTS.management}/aims/data/v1`,
  'models/mgmt': `${HOSTS.management}/aims/mgmt/v1`,
} as const;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The UUID that stands for a word such as `topic`. */
export function idOf(word: string): string {
  const hex = createHash('sha256').update(word).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The method and the whole address of a request such as `GET mgmt/topic`. */
function requestOf(text: string): string {
  const [, method, plane, rest] = /^([A-Z]+) ((?:redteam|models)\/\w+|\w+)(\/.*)$/.exec(named(text)) ?? [];
  const address = Object.entries(PLANES).find(([name]) => name === plane)?.[1];
  if (address === undefined) throw new Error(`no request of a golden: ${text}`);
  return `${method} ${address}${rest}`;
}

const named = (text: string): string =>
  text.replace(/\$([a-z_]+)/g, (_, word: string) => (word === 'tenant' ? TENANT : idOf(word)));

function withNames(value: unknown): unknown {
  if (typeof value === 'string') return named(value);
  if (Array.isArray(value)) return value.map(withNames);
  if (!isFields(value)) return value;
  // The text of a multipart part is JSON.
  if ('part' in value && 'json' in value) return { part: value['part'], text: JSON.stringify(value['json']) };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [named(name), withNames(member)]));
}

const isRequest = (name: string): boolean => /^[A-Z]+ /.test(name);

/** The fields that the specification declares for a command's records; the empty name is the path itself. */
export const fieldsOf = ({ outputs }: ContractCommand): string[] => [
  ...new Set(Object.keys(outputs).map((name) => name.split('.')[0] ?? '')),
];

export function declared(command: string): ContractCommand {
  const found = due.find((one) => one.command === command);
  if (found === undefined) throw new Error(`the contract has no ${command}`);
  return found;
}

/** The records that the last answer leaves: those of its only list if differences are listed, else one record. */
function leftBy(command: string, answer: unknown, leaves: Written['leaves']): unknown {
  const fields = fieldsOf(declared(command));
  const recordOf = (record: unknown, more: Fields = {}) => {
    const members = fields.map((name) => [name, (isFields(record) ? record[name] : undefined) ?? null]);
    return { ...Object.fromEntries(members), ...more };
  };
  if (leaves === undefined || isFields(leaves)) return recordOf(answer, leaves);
  const lists = isFields(answer) ? Object.values(answer).filter((member) => Array.isArray(member)) : [];
  const [list] = lists;
  if (list === undefined || lists.length > 1) throw new Error(`${command}: not one list in the answer`);
  return list.map((record: unknown, at: number) => recordOf(record, leaves[at]));
}

function goldenOf(command: string, what: string, key: readonly string[], written: Written): Golden {
  const { args = '', json = {}, leaves, files, planned, asSent } = written;
  const requests = Object.entries(written).filter(([name]) => isRequest(name));
  const script = requests.map(([request, exchange]): Exchange => {
    const named: unknown = withNames(exchange);
    return { ...(isFields(named) ? named : {}), request: requestOf(request.replace(/ #\d$/, '')) };
  });
  const typed = Object.entries(json).map(([name, value]) => `${name}=\`${JSON.stringify(withNames(value))}\``);
  const differences: unknown = withNames(leaves);
  const listed = Array.isArray(differences) ? differences : undefined;
  const value =
    'value' in written
      ? withNames(written.value)
      : leftBy(command, script.at(-1)?.answer, isFields(differences) ? differences : listed);
  const optional = { files, planned: withNames(planned), asSent };
  return { command, what, key, args: [named(args), ...typed].join(' ').trim(), script, value, ...optional };
}

type Document = Readonly<
  Record<
    string,
    Readonly<Record<string, Written>> & { readonly key: readonly string[]; readonly claims?: readonly string[] }
  >
>;

const FAMILIES = { 'runtime-dlp': 'dlp', runtime: 'runtime', redteam: 'red-team', 'model-security': 'model-security' };

const known = new Map<string, readonly Golden[]>();

/** Reads a family when it is first needed, because parsing takes a second. */
function familyOf(name: string): readonly Golden[] {
  const read = known.get(name) ?? readFamily(name);
  known.set(name, read);
  return read;
}

function readFamily(name: string): Golden[] {
  const text = readFileSync(new URL(`./goldens/${name}.yml`, import.meta.url), 'utf8');
  const document: Document = parse(text, { merge: true });
  return Object.entries(document).flatMap(([command, { key, claims = [], ...cases }]) =>
    Object.entries(cases).map(([what, written]) => ({ ...goldenOf(command, what, key, written), claims })),
  );
}

export const allGoldens = (): Golden[] => Object.values(FAMILIES).flatMap(familyOf);

/** Finds a case by its command without `aisec-` and its title; without a title, the first case. */
export function goldenFor(command: string, what?: string): Golden {
  const [, family = ''] = Object.entries(FAMILIES).find(([prefix]) => command.startsWith(`${prefix}-`)) ?? [];
  const found = familyOf(family).find(
    (one) => one.command === `aisec-${command}` && (what === undefined || one.what === what),
  );
  if (found === undefined) throw new Error(`no golden: ${command} ${what ?? ''}`);
  return found;
}

/** The last answer of a case. */
export function answerOf(command: string, what?: string): Fields {
  const answer = goldenFor(command, what).script.at(-1)?.answer;
  if (!isFields(answer)) throw new Error(`the answer of ${command} is no object`);
  return answer;
}

/** The first record in a list. */
export function recordOf(list: unknown): Fields {
  const record: unknown = Array.isArray(list) ? list[0] : undefined;
  if (!isFields(record)) throw new Error('the list has no record');
  return record;
}

/** The exchange at a position in the script of a case, with its body and its answer. */
export function exchangeOf({ command, script }: Golden, at = 0): { request: string; answer: Fields; body: Fields } {
  const { request = '', answer = {}, body = {} } = script[at] ?? {};
  if (request === '' || !isFields(answer) || !isFields(body)) throw new Error(`${command} has no such exchange`);
  return { request, answer, body };
}
