/** Tables of the pages that the platform's SDK reads back: it takes a bare pipe for the end of a cell. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map((text) => `**${text}**`)),
    line(columns.map(() => '---')),
    ...rows.map((cells) => line(cells.map(plain))),
  ].join('\n');
}

/** Text that is neither markup nor the end of a cell. */
export function plain(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\|/g, '&#124;');
}

/** Parts with an empty line between them, and a line end. */
export function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
