/** Shortens values of a record for a cell of one line: short ids, ages, states with a mark. */
import type { Field } from '../../../output/record.ts';
import type { Style } from './style.ts';

export type CellKind = 'id' | 'time' | 'number' | 'flag' | 'state' | 'text';

const ID = /(?:^|_)u?u?id$|(?:^|_)ids?$/;
const TIME = /(?:_at|_ts|_time|_online_at)$|^expiry$/;
const STATE = /(?:^|_)(?:status|state|action|outcome|verdict|severity|result|category)$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const SHORT_ID = 8;

export function kindOf(name: string, { type }: Pick<Field, 'type'>): CellKind {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (type === 'Date' || TIME.test(last)) return 'time';
  if (type === 'Number') return 'number';
  if (type === 'Boolean') return 'flag';
  if (ID.test(last)) return 'id';
  return STATE.test(last) ? 'state' : 'text';
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Shortens the UUIDs of one column to unique prefixes. @returns the text for each cell */
export function shortIds(cells: readonly string[]): (cell: string) => string {
  const ids = [...new Set(cells.filter(isUuid))];
  const lengths = [SHORT_ID, 13, 18, 23];
  const length = lengths.find((most) => new Set(ids.map((id) => id.slice(0, most))).size === ids.length);
  return (cell) => (isUuid(cell) && length !== undefined ? cell.slice(0, length) : cell);
}

const DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** Of this century. */
const MILLISECONDS = /^[1-3]\d{12}$/;

const UNITS = [
  ['y', 365 * 86_400],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** Writes a time as an age, such as `4d`; a future time as `in 4d`. Other texts stay as they are. @param now in milliseconds */
export function ageOf(text: string, now: number): string {
  const at = DATE.test(text) ? Date.parse(text) : MILLISECONDS.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(at)) return text;
  const seconds = Math.round((now - at) / 1000);
  const distance = Math.abs(seconds);
  const [unit, size] = UNITS.find(([, each]) => distance >= each) ?? ['s', 1];
  const age = `${Math.floor(distance / size)}${unit}`;
  return seconds < 0 ? `in ${age}` : age;
}

interface Mark {
  readonly sign: string;
  readonly colour: Exclude<keyof Style, 'bold'>;
}

const MARKS: readonly (Mark & { readonly words: string })[] = [
  { sign: '✓', colour: 'green', words: 'done completed complete success passed pass allowed allow benign' },
  { sign: '✓', colour: 'green', words: 'active online enabled validated approved' },
  { sign: '✗', colour: 'red', words: 'failed fail error blocked block malicious aborted offline rejected unsafe' },
  { sign: '◐', colour: 'yellow', words: 'partial partially_complete' },
  { sign: '◔', colour: 'yellow', words: 'running in_progress profiling validating' },
  { sign: '…', colour: 'dim', words: 'queued pending init draft' },
  { sign: '·', colour: 'dim', words: 'inactive disabled archived revoked expired low' },
  { sign: '!', colour: 'red', words: 'critical high' },
  { sign: '!', colour: 'yellow', words: 'medium warning alert' },
];

const SHORT_WORDS: Readonly<Record<string, string>> = {
  completed: 'done',
  complete: 'done',
  partially_complete: 'partial',
};

const BY_WORD = new Map(
  MARKS.flatMap(({ words, ...mark }) => words.split(' ').map((word): [string, Mark] => [word, mark])),
);

/** Renders a state as its mark and its word; an unknown state stays as it is. */
export function stateOf(text: string): { readonly text: string; readonly mark: Mark | undefined } {
  const word = text.toLowerCase();
  const mark = BY_WORD.get(word);
  if (mark === undefined) return { text, mark };
  return { text: `${mark.sign} ${SHORT_WORDS[word] ?? word.replace(/_/g, ' ')}`, mark };
}

/** Renders a boolean of a list: only `true` should catch the eye. */
export function flagOf(text: string): string {
  return text === 'true' ? 'yes' : text === 'false' ? '-' : text;
}

/** A cell of one line: lists read as `a, b`. */
export function oneLine(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ', ')
    .replace(/\s+/g, ' ')
    .trim();
}
