/** Shortens values for single-line cells: short ids, ages, states with a mark, and small charts of numbers. */
import { type Mark, stateMark } from '../../../runtime/select/marks.ts';
import { stateWord, withoutMark } from '../../../runtime/select/printed.ts';
import type { Style } from './style.ts';

/** Renders a state as its mark and its word; an unknown state stays unchanged. */
export function stateOf(text: string): { readonly text: string; readonly mark: Mark | undefined } {
  const word = text.toLowerCase().replace(/ /g, '_');
  const mark = stateMark(word);
  if (mark === undefined) return { text, mark };
  return { text: `${mark.sign} ${stateWord(word)}`, mark };
}

/** Colours only the mark of a written state: the word reads the same without colour. Other texts stay unchanged. */
export function paintedMark(text: string, style: Style): string {
  return withMark(text, 0, stateOf(withoutMark(text)).mark, style);
}

/** Colours the mark of a state in a line: the word reads the same without colour. @param at column of the state */
export function withMark(line: string, at: number, mark: Mark | undefined, style: Style): string {
  if (mark === undefined || !line.startsWith(`${mark.sign} `, at)) return line;
  return line.slice(0, at) + style[mark.colour](mark.sign) + line.slice(at + mark.sign.length);
}

const SEVERITY_WIDTH = '█ critical'.length;

/** Renders a severity as lists do, padded to a fixed width. */
export function severityOf(text: string): ReturnType<typeof stateOf> {
  const state = stateOf(text);
  return { ...state, text: state.text.padEnd(SEVERITY_WIDTH) };
}

const BAR_LENGTH = 8;

/** Renders a rate in percent with its bar: `27% ███░░░░░`. Only 0 is empty, and only 100 is full. */
export function barOf(text: string): string {
  const rate = Number(text);
  if (text.trim() === '' || !(rate >= 0 && rate <= 100)) return text;
  const filled = rate === 100 ? BAR_LENGTH : Math.min(BAR_LENGTH - 1, Math.ceil((rate / 100) * BAR_LENGTH));
  return `${`${Math.round(rate)}%`.padStart(4)} ${'█'.repeat(filled)}${'░'.repeat(BAR_LENGTH - filled)}`;
}

/** Renders a boolean of a list: only `true` should catch the eye. */
export function flagCell(text: string): string {
  return text === 'true' ? 'yes' : text === 'false' ? '-' : text;
}

/** Renders a single-line cell; lists become `a, b`. */
export function oneLineCell(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ', ')
    .replace(/\s+/g, ' ')
    .trim();
}

const STEPS = '▁▂▃▄▅▆▇█';

/** Draws numbers from 0 to 100 as one character each; an unknown number is a dot. */
export function sparkline(values: readonly (number | undefined)[]): string {
  return values.map((value) => (value === undefined ? '·' : stepOf(value))).join('');
}

function stepOf(value: number): string {
  const at = Math.floor((Math.min(100, Math.max(0, value)) / 100) * STEPS.length);
  return STEPS.charAt(Math.min(at, STEPS.length - 1));
}

/** Draws a part of a whole as a bar with a frame; any part above 0 is visible, and only a full bar looks full. */
export function meter(part: number, whole: number, width: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : part > 0 ? 1 : 0;
  const exact = Math.round(share * width);
  const filled = share > 0 && share < 1 ? Math.min(width - 1, Math.max(1, exact)) : exact;
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

const SHADES = '·░▒▓█';

/** Shades numbers relative to the largest number, two characters each; only 0 is a dot. */
export function shades(rows: readonly (readonly number[])[]): readonly string[] {
  const most = rows.flat().reduce((largest, each) => Math.max(largest, each), 0);
  const shade = (value: number) => {
    const at = value <= 0 || most <= 0 ? 0 : Math.ceil((value / most) * (SHADES.length - 1));
    return SHADES.charAt(at).repeat(2);
  };
  return rows.map((row) => row.map(shade).join(''));
}
