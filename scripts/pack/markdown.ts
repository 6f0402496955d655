/** Renders a table for pages that the platform's SDK parses; a bare pipe would end a cell there. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map((text) => `**${text}**`)),
    line(columns.map(() => '---')),
    ...rows.map((cells) => line(cells.map(plain))),
  ].join('\n');
}

/** Escapes markup and pipes. */
export function plain(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\|/g, '&#124;');
}

/** Joins parts by blank lines. */
export function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
