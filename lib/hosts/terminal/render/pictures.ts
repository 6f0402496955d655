/** Pictures of numbers that fit in a line of text. */

const STEPS = '▁▂▃▄▅▆▇█';

/** Draws numbers from 0 to 100 as one character each; an unknown number is a dot. */
export function sparkline(values: readonly (number | undefined)[]): string {
  return values.map((value) => (value === undefined ? '·' : stepOf(value))).join('');
}

function stepOf(value: number): string {
  const at = Math.floor((Math.min(100, Math.max(0, value)) / 100) * STEPS.length);
  return STEPS.charAt(Math.min(at, STEPS.length - 1));
}

/** Draws a part of a whole as a bar with a frame; a part that is not 0 is visible, and only a full one looks full. */
export function meter(part: number, whole: number, width: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : part > 0 ? 1 : 0;
  const exact = Math.round(share * width);
  const filled = share > 0 && share < 1 ? Math.min(width - 1, Math.max(1, exact)) : exact;
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

const SHADES = '·░▒▓█';

/** Shades numbers by their part of the largest one, two characters each; only 0 is a dot. */
export function shades(rows: readonly (readonly number[])[]): readonly string[] {
  const most = rows.flat().reduce((largest, each) => Math.max(largest, each), 0);
  const shade = (value: number) => {
    const at = value <= 0 || most <= 0 ? 0 : Math.ceil((value / most) * (SHADES.length - 1));
    return SHADES.charAt(at).repeat(2);
  };
  return rows.map((row) => row.map(shade).join(''));
}
