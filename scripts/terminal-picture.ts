/** Draws styled terminal output as SVG. */

const [COLUMN, LINE, MARGIN] = [8.43, 19, 18] as const;
const STYLE = [
  'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d5dce4;white-space:pre}',
  '.b{font-weight:bold}.d{fill:#7d8896}.r{fill:#ff7b72}.g{fill:#7ee787}.y{fill:#e3b341}',
].join('');
/** CSS classes by the code that turns them on, and the code that turns them off. */
const ON: Readonly<Record<string, readonly string[]>> = { 1: ['b'], 2: ['d'], 31: ['r'], 32: ['g'], 33: ['y'] };
const OFF: Readonly<Record<string, readonly string[]>> = { 22: ['b', 'd'], 39: ['r', 'g', 'y'] };

/** Draws lines with the colours of `COLOUR`. @returns an SVG document, identical for identical text */
export function terminalPicture(title: string, text: string, columns: number): string {
  const lines = text.split('\n');
  const [width, height] = [Math.ceil(columns * COLUMN + 2 * MARGIN), lines.length * LINE + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>`,
    ...lines.map((line, index) => lineOf(line, MARGIN + (index + 0.75) * LINE)).filter((line) => line !== ''),
    '</svg>',
    '',
  ].join('\n');
}

/** Positions each run of cells by its column, because fonts differ in the width of a character. */
function lineOf(line: string, y: number): string {
  let column = 0;
  let classes: readonly string[] = [];
  const texts: string[] = [];
  // 0 is no style: the text before the first escape sequence has no code of its own.
  for (const part of `0m${line}`.split('\x1b[')) {
    const [, code = '', text = ''] = /^(\d+)m(.*)$/.exec(part) ?? [];
    classes = [...classes.filter((name) => OFF[code]?.includes(name) !== true), ...(ON[code] ?? [])];
    for (const { 0: cells, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      const style = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
      const x = (MARGIN + (column + index) * COLUMN).toFixed(1);
      texts.push(`<text${style} x="${x}" y="${y.toFixed(1)}">${escaped(cells)}</text>`);
    }
    column += text.length;
  }
  return texts.join('');
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
