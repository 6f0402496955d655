/** Shows a single record in a terminal: first the verdict, then the fields that are set, in readable form. */

import { isDeeper, isObject, receivedJson } from '../../../../core/json.ts';
import { detectorName } from '../../../../runtime/output/detectors.ts';
import { headlineIn } from '../../../../runtime/output/headline.ts';
import { SIMULATED } from '../../../../runtime/output/markdown.ts';
import type { ShownRecord, Table } from '../../../../runtime/output/readable.ts';
import type { Field } from '../../../../runtime/output/record.ts';
import { kindOf } from '../../../../runtime/select/printed.ts';
import { paintedMark, stateOf } from '../../ui/cells.ts';
import { plainHeading, sanitize } from '../../ui/sanitize.ts';
import type { Style } from '../../ui/style.ts';
import { definitionRenderer, type Page, wrapped } from '../../ui/wrap.ts';

/** Lines such as `dlp: true`, with the findings of several detectors. */
const FLAGS = /^[\w.-]+: (?:true|false)(?:\n[\w.-]+: (?:true|false))*$/;
const GAP = '  ';
/** Failure flags, which are not shown if `false`. */
const FAILURES: ReadonlySet<string> = new Set(['timeout', 'error']);
/** Fields that only repeat the line's arguments. */
const ASKED: ReadonlySet<string> = new Set(['limit', 'offset']);

interface Pair {
  readonly label: string;
  readonly text: string;
  readonly isFlags: boolean;
}

/** A line with and without its colours. */
export interface Painted {
  readonly plain: string;
  readonly painted: string;
}

function headlineOf(table: Table, of: ShownRecord, { style }: Page): Painted | undefined {
  const headline = headlineIn(table, of, sanitize);
  if (headline === undefined) return undefined;
  const { isVerdict, first, others } = headline;
  const { plain, painted } = isVerdict ? verdictIn(first, style) : stateIn(first, style);
  const rest = others.map((other) => GAP + other).join('');
  return { plain: plain + rest, painted: painted + rest };
}

/** Writes the state of a record as lists do. */
function stateIn(text: string, style: Style): Painted {
  const plain = stateOf(text).text;
  return { plain, painted: style.bold(paintedMark(plain, style)) };
}

/** Writes the verdict of a scan so that it catches the eye. */
function verdictIn(text: string, style: Style): Painted {
  const { mark } = stateOf(text);
  const plain = text.toUpperCase();
  return { plain, painted: style.bold(mark === undefined ? plain : style[mark.colour](plain)) };
}

/**
 * Renders the fields that are set.
 * @returns the headline, without the mark of the simulated service, and lines for the other fields; a record without a
 * verdict has no headline
 */
export function renderRecord(table: Table, of: ShownRecord, page: Page, shown: (text: string) => string) {
  const headline = headlineOf(table, of, page);
  const inHeadline = headline === undefined ? [] : (of.view.headline ?? []);
  const verdict = table.rows[of.fields.findIndex(([name]) => name === inHeadline[0])]?.[1];
  const pairs = table.rows.flatMap(([label = '', text = ''], at): Pair[] => {
    const [name, field] = of.fields[at] ?? ['', undefined];
    if (inHeadline.includes(name) && !text.includes('\n')) return [];
    // Show the service's word too if the verdict differs from it.
    if (name === 'action' && text === verdict) return [];
    const isFlags = field?.type === 'Unknown' && FLAGS.test(text);
    const isFlag = field !== undefined && kindOf(name, field) === 'flag';
    if (isFlag && text === 'false' && FAILURES.has(name)) return [];
    if (ASKED.has(name)) return [];
    const value = field === undefined || isFlags ? text : recordValue(name, field, text);
    return [{ label: plainHeading(shown(label)), text: shown(value), isFlags }];
  });
  const rows = pairs.flatMap(({ label, text, isFlags }) =>
    isFlags ? foundAndClear(label, text) : [[label, text] as const],
  );
  const define = definitionRenderer(
    rows.map(([label]) => label),
    page,
    page.style.dim,
  );
  const lines = rows.flatMap(([label, text]) => paintedState(define(label, text), text, page));
  return { headline, lines };
}

/** Colours the mark of a state, as in lists. */
function paintedState(lines: readonly string[], text: string, { style }: Page): string[] {
  const painted = paintedMark(text, style);
  return lines.map((line) => {
    const plain = line.replace(/^ {2}/, '');
    return painted === text ? plain : plain.slice(0, -text.length) + painted;
  });
}

/** Detectors as two lists: with findings, and without. */
function foundAndClear(label: string, text: string): (readonly [string, string])[] {
  const flags = text.split('\n').map((line) => line.split(': ') as [string, string]);
  const named = (value: string) =>
    flags
      .filter(([, flag]) => flag === value)
      .map(([name]) => detectorName(name))
      .join(' · ');
  const [found, clear] = [named('true'), named('false')];
  const fired = [label, found === '' ? 'nothing' : found] as const;
  return clear === '' ? [fired] : [fired, ['  clear', clear]];
}

/**
 * Puts the mark of the simulated service at the right edge of a line, or directly after the text if the line is full.
 */
export function marked(line: Painted, simulated: boolean, { width, style, measure }: Page): string[] {
  if (!simulated) return [line.painted];
  const mark = style.bold(style.yellow(SIMULATED));
  const space = width - measure(line.plain) - SIMULATED.length;
  if (space >= GAP.length) return [line.painted + ' '.repeat(space) + mark];
  return [mark, ...wrapped(line.plain, width, measure)];
}

/** States of the record itself; an action or a category may only be a setting. */
const OWN_STATE = /(?:^|_)(?:status|state|outcome|verdict|severity|result)$/;
const RATE = /(?:^|_)(?:asr|rate)$/;
const NUMBERS = /^[\w.-]+: \d+(?:\n[\w.-]+: \d+)+$/;
const FLAG = /^([\w.-]+: )(true|false)$/;
/** Deeper values are easier to read as JSON. */
const MAX_DEPTH = 3;
const MEMBER = /^([\w.-]+: )?([[{].*[\]}])$/;

/** Returns the text of a field. */
export function recordValue(name: string, field: Field, text: string): string {
  const kind = kindOf(name, field);
  if (kind === 'flag') return flagWord(text);
  if (kind === 'time') return text.replace(/(:\d\d)\.\d+(?=Z|$)/, '$1');
  if (kind === 'number') return RATE.test(name) && text !== '' ? `${text} %` : text;
  if (kind === 'state' && OWN_STATE.test(name)) return stateOf(text).text;
  return field.type === 'Unknown' ? membersOf(text) : text;
}

/** Writes a map: counts on one line, and nested values without brackets. Leaves out unset members. */
function membersOf(text: string): string {
  const set = text.replace(/^[\w.-]+: (?:\[\]|\{\})?(?:\n|$)/gm, '').replace(/\n$/, '');
  if (NUMBERS.test(set)) return counts(set);
  return set
    .split('\n')
    .map((line) => withoutBrackets(line.replace(FLAG, (_, name: string, flag: string) => name + flagWord(flag))))
    .join('\n');
}

function flagWord(text: string): string {
  return text === 'true' ? 'yes' : text === 'false' ? 'no' : text;
}

/** `total: 6`, `active: 5`, `failed: 0` becomes `6 total · 5 active`. */
function counts(text: string): string {
  const all = text.split('\n').map((line) => line.split(': '));
  const filled = all.filter(([, count]) => count !== '0');
  const shown = filled.length === 0 ? all.slice(0, 1) : filled;
  return shown.map(([name = '', count = '']) => `${count} ${name.replace(/_/g, ' ')}`).join(' · ');
}

function withoutBrackets(line: string): string {
  const [, name = '', json = ''] = MEMBER.exec(line) ?? [];
  const value = json === '' ? undefined : receivedJson(json);
  return value === undefined || isDeeper(value, MAX_DEPTH) ? line : name + words(value, ', ');
}

function words(value: unknown, between: string): string {
  if (Array.isArray(value)) return value.map((item) => words(item, ' ')).join(between);
  if (!isObject(value)) return flagWord(String(value));
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${words(member, ' | ')}`)
    .join(', ');
}
