/** Turns values into the text of cells. All of it is plain text: it never becomes markup. */
import { isObject } from '../../lib/core/json.ts';
import { duration } from '../../lib/core/progress.ts';
import { CONTROLS_IN_TEXT, INVISIBLE, nameOf } from '../../lib/core/redaction/characters.ts';
import { detectorName } from '../../lib/runtime/output/detectors.ts';
import { cell } from '../../lib/runtime/output/readable.ts';
import { stateMark } from '../../lib/runtime/select/marks.ts';
import { type CellKind, momentIn, stateWord } from '../../lib/runtime/select/printed.ts';

/** How much of a text a table and a tooltip show; the record has the whole. */
const [CELL_LENGTH, TITLE_LENGTH] = [300, 2000];

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
}

/** Spells out characters that hide or reorder text, and drops control characters. */
export function visible(text: string): string {
  return text.replace(CONTROLS_IN_TEXT, '').replace(INVISIBLE, nameOf);
}

export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return `${text.slice(0, isHalf ? limit - 1 : limit)}…`;
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const flags = Object.entries(flagsIn(value) ?? {}).filter(([, names]) => names.length > 0);
  if (flags.length > 0) return flags.map(([word, names]) => `${word}: ${names.join(', ')}`).join('; ');
  return cell(value).replace(/\n/g, ', ');
}

/** Reads detectors, an object whose members are all true or false: which fired, and which found nothing. */
export function flagsIn(value: unknown): Readonly<Record<'found' | 'clear', readonly string[]>> | undefined {
  if (!isObject(value)) return undefined;
  const members = Object.entries(value);
  if (members.length === 0 || members.some(([, each]) => typeof each !== 'boolean')) return undefined;
  const named = (on: boolean) => members.filter(([, each]) => each === on).map(([name]) => detectorName(name));
  return { found: named(true), clear: named(false) };
}

/** A text for one line of a table, cut before it is cleaned, so that a huge text costs nothing. */
export function lineText(text: string): string {
  return cut(visible(cut(text, CELL_LENGTH)).replace(/\s+/g, ' ').trim(), CELL_LENGTH);
}

export function titleText(text: string): string {
  return visible(cut(text, TITLE_LENGTH));
}

const TONES = { green: 'good', red: 'bad', yellow: 'warn', dim: 'soft' } as const;
/** States that only the room has, and states with the same mark. */
const ALIKE = new Map(
  Object.entries({ succeeded: 'done', unreadable: 'failed', stopped: 'partial', handled: 'warning', mask: 'warning' }),
);

/** Returns the mark of a state beside its word; without a mark for an unknown state. */
export function markedState(text: string) {
  const state = text.toLowerCase().replace(/ /g, '_');
  const mark = stateMark(ALIKE.get(state) ?? state);
  return { sign: mark?.sign, tone: mark && TONES[mark.colour], word: mark ? stateWord(text) : text };
}

/** Writes a duration, such as `440 ms` or `2 min 5 s`. */
export function spentTime(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : duration(ms);
}

export function isMoment(text: string, kind: CellKind): boolean {
  return kind === 'time' && !Number.isNaN(momentIn(text));
}
