/** Applies the control sequences with which the terminal erases its progress. */

const ESCAPE = '\u001b';
const ERASE_LINE = `\r${ESCAPE}[2K`;
/** Moves up some lines, and erases from there. */
const ERASE_LINES = new RegExp(`^\\r${ESCAPE}\\[(\\d+)A${ESCAPE}\\[J$`);
const CONTROL = new RegExp(`(\\n|\\r${ESCAPE}\\[2K|\\r${ESCAPE}\\[\\d+A${ESCAPE}\\[J)`);

/** Returns what stands on the screen after each write, with its colours, first to last. */
export function screensOf(written: readonly string[]): string[] {
  const lines = [''];
  return written.map((text) => {
    for (const part of text.split(CONTROL)) apply(part, lines);
    return lines.join('\n').trimEnd();
  });
}

function apply(part: string, lines: string[]): void {
  const up = ERASE_LINES.exec(part)?.[1];
  if (part === '\n') lines.push('');
  else if (part === ERASE_LINE) lines.splice(-1, 1, '');
  else if (up !== undefined) lines.splice(Math.max(0, lines.length - 1 - Number(up)), Number.POSITIVE_INFINITY, '');
  else lines.push(`${lines.pop() ?? ''}${part}`);
}
