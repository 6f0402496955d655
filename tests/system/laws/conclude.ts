/** Runs a line, renders its outcome in every format, and describes any problems. */
import { AisecError } from '../../../lib/core/errors.ts';
import { reporter } from '../../../lib/hosts/terminal/result/failure.ts';
import { renderResult } from '../../../lib/hosts/terminal/result/results.ts';
import { measureFor } from '../../../lib/hosts/terminal/ui/measure.ts';
import type { Shell } from '../../../lib/hosts/terminal/ui/shell.ts';
import { PLAIN } from '../../../lib/hosts/terminal/ui/style.ts';
import { entryOf, errorEntry, errorText } from '../../../lib/runtime/output/entry.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import type { Readable } from '../../../lib/runtime/output/readable.ts';
import type { Result } from '../../../lib/runtime/output/result.ts';
import { LINE_SECRETS } from '../../support/lines.ts';
import type { WarRoom } from '../../support/simulated.ts';
import type { Subject } from './subjects.ts';

/** Characters that control a screen, reorder text, or hide it. */
const UNSEEN =
  /[^\P{Cc}\n]|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e03ff}]/u;
/** Characters that a terminal interprets; the tests of `clean` cover the emoji joiner. */
const ACTIVE = /[^\P{Cc}\n]|(?!\u200d)\p{Cf}|[\u2028\u2029]/u;

const complain = (what: string, text: string, pattern: RegExp): string[] => {
  const found = pattern.exec(text);
  if (found === null) return [];
  const around = text.slice(Math.max(0, found.index - 40), found.index + 40);
  return [`${what}: ${JSON.stringify(around)}`];
};

/** Markdown: every table is in one piece, and no markup in it is active. */
export function markdownComplaints(rendered: string, readable: Readable): string[] {
  return [...tornTables(rendered, readable), ...liveMarkup(rendered)];
}

/** A bar after an odd number of backslashes belongs to the text. */
const bars = (line: string) => line.replace(/\\[\s\S]/g, '').split('|').length - 1;

function tornTables(rendered: string, { summary, tables }: Readable): string[] {
  const lines = rendered.split('\n').filter((line) => line.startsWith('|'));
  const wanted = [...(summary === undefined ? [] : [summary]), ...tables]
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ columns, rows }) => Array.from({ length: rows.length + 2 }, () => columns.length + 1));
  const found = lines.map(bars);
  return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`a torn table: ${lines.join('\n').slice(0, 500)}`];
}

function liveMarkup(rendered: string): string[] {
  // Remove our own markup, then everything escaped; the rest must have no meaning.
  const text = rendered
    .replace(/^\*\*(.*)\*\*/gm, '$1')
    .replace(/^### /, '')
    .replace(/\\[^\n]/g, '·')
    .replace(/<br>/g, ' ');
  return [
    ...complain('live markup', text, /[[\]<>`*~]/),
    ...complain('a live address', text, /:\/\/|\bwww\./i),
    ...complain('a live entity', text, /&(?!(?:amp|lt|gt);)(?:#|\w+;)/),
    ...complain('an unseen character', text, UNSEEN),
  ];
}

/** Text for a terminal. */
export function terminalComplaints(text: string): string[] {
  return complain('an escape for a terminal', text, ACTIVE);
}

/** A JSON value, or a JSON value on each line, that is safe to display. */
export function jsonComplaints(text: string, what: string): string[] {
  try {
    JSON.parse(text);
  } catch {
    return [`${what} is no JSON: ${text.slice(0, 200)}`];
  }
  return complain(`${what} with an escape for a terminal`, text, ACTIVE);
}

/** Limit far above the slowest line, as a multiple of the processor time of the fastest line. */
const MAX_TIMES = 5000;
/** Processor time of the cheapest line so far, in microseconds, but at least the smallest measurable time. */
let cheapest = Number.POSITIVE_INFINITY;
const MIN_US = 1000;
const SHELL: Shell = { dialect: 'posix', options: [] };
const WIDTH = 80;
/** A service may issue a token that is an ordinary word. */
const MIN_SECRET_LENGTH = 8;

export interface Outcome {
  readonly result?: Result;
  readonly error?: unknown;
  readonly complaints: readonly string[];
}

/** Runs a line of a command and checks its outcome. @param secrets texts that must not be shown, besides those of the room */
export async function conclude(
  subject: Subject,
  line: string,
  room: WarRoom,
  secrets: readonly string[] = [],
): Promise<Outcome> {
  const before = prototypes();
  const started = process.cpuUsage();
  const outcome = await attempt(line, room);
  const shown = 'result' in outcome ? await shownOf(outcome.result, subject) : await toldBy(outcome.error);
  const cost = costSince(started);
  const leaked = [...secretsOf(room), ...secrets].filter((secret) => shown.texts.some((text) => text.includes(secret)));
  const complaints = [
    ...shown.complaints,
    ...leaked.map((secret) => `a secret is shown: ${secret}`),
    ...(cost > MAX_TIMES ? [`it took ${Math.round(cost)} times as long as the cheapest line`] : []),
    ...(prototypes() === before ? [] : ['a prototype has changed']),
  ];
  return { ...outcome, complaints };
}

/** Processor time as a multiple of the cheapest line's, which excludes other work of the machine. */
function costSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  const time = Math.max(MIN_US, user + system);
  cheapest = Math.min(cheapest, time);
  return time / cheapest;
}

function secretsOf({ runtime: { settings, shared } }: WarRoom): string[] {
  const { client_secret = '', runtime_api_key = '' } = settings;
  const token = shared.token ?? '';
  const all = [client_secret, runtime_api_key, token, ...LINE_SECRETS];
  return all.filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

async function attempt(line: string, room: WarRoom): Promise<{ result: Result } | { error: unknown }> {
  try {
    return { result: await room.run(line) };
  } catch (error) {
    return { error };
  }
}

/** Describes the prototypes that all objects share. */
function prototypes(): string {
  const all = [Object, Array, String, Function, Promise].map(({ prototype }) => prototype);
  return all.map((prototype) => Reflect.ownKeys(prototype).map(String).join()).join('\n');
}

interface Shown {
  readonly texts: readonly string[];
  readonly complaints: readonly string[];
}

/** A result in every form in which a host shows it. */
async function shownOf(result: Result, subject: Subject): Promise<Shown> {
  const place = { terminal: true, width: WIDTH, style: PLAIN, measure: await measureFor(result.readable) };
  const render = (format: Parameters<typeof renderResult>[1], from = result) => renderResult(from, format, place);
  const table = await render('table', { ...result, showRaw: false });
  const text = markdown(result.readable);
  const formats = ['json', 'context', 'entry'] as const;
  const json = await Promise.all(formats.map(async (format) => ({ format, text: await render(format) })));
  const lines = (await render('jsonl')).split('\n').filter((line) => line !== '');
  const raw = await render('table', { ...result, showRaw: true });
  const failed = result.failure === undefined ? { texts: [], complaints: [] } : await toldBy(result.failure);
  const open = withoutDeclared(result, subject);
  return {
    texts: [table, text, raw, JSON.stringify(open), JSON.stringify(entryOf(open)), ...failed.texts],
    complaints: [
      ...terminalComplaints(table),
      ...terminalComplaints(await render('markdown')),
      ...markdownComplaints(text, result.readable),
      ...json.flatMap(({ format, text: shown }) => jsonComplaints(shown, format)),
      ...lines.flatMap((line) => jsonComplaints(line, 'jsonl')),
      ...jsonComplaints(raw, 'the raw answer'),
      ...failed.complaints,
    ],
  };
}

/** The result without the fields that are declared to hold a secret. */
function withoutDeclared(result: Result, { command }: Subject): Result {
  const { fields } = command.output.record;
  const blank = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(blank);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => fields[name]?.secret !== true));
  };
  return { ...result, writes: result.writes.map((write) => ({ ...write, value: blank(write.value) })) };
}

/** An error in every form in which a host shows it. */
async function toldBy(thrown: unknown): Promise<Shown> {
  if (!(thrown instanceof AisecError)) return { texts: [], complaints: [`it crashed: ${stackOf(thrown)}`] };
  const people = await reported(thrown, 'table');
  const programs = await reported(thrown, 'json');
  return {
    texts: [people, programs, errorText(thrown), JSON.stringify(errorEntry(thrown)), thrown.stack ?? ''],
    complaints: [...atFault(thrown), ...terminalComplaints(people), ...jsonComplaints(programs, 'the error')],
  };
}

/** The base class means an unexpected error: a bug of this program. */
function atFault({ code, message, exitCode }: AisecError): string[] {
  if (code === 'error') return [`the program is at fault: ${message}`];
  return message !== '' && Number.isInteger(exitCode) && exitCode > 0 ? [] : ['an error that says nothing'];
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message).slice(0, 2000) : String(thrown);
}

async function reported(error: AisecError, format: 'table' | 'json'): Promise<string> {
  const notes: string[] = [];
  const write = (text: string) => void notes.push(text);
  const screen = { width: WIDTH, noteTerminal: false, noteStyle: PLAIN, note: write, report: write, shell: SHELL };
  const program = { version: '1.2.3', debug: false, secrets: () => [] };
  await reporter(format, screen, program)(error, format === 'table' ? 'line 1' : undefined);
  return notes.join('\n');
}
