/** Draws one view at each width. */
import { quoted } from '../../lib/hosts/terminal/options/shell.ts';
import { runProgram, type TerminalSize, tenant } from './run-program.ts';
import { type Panel, panelsPicture } from './terminal-picture.ts';
import { screensOf } from './terminal-text.ts';
import { fromPresent } from './time.ts';
import type { View } from './views.ts';

const WIDTHS = [80, 120, 200];
/** Higher than every output, so that none goes through the pager; a screen of lines that are drawn in place. */
const [ALL_ROWS, SCREEN_ROWS] = [100_000, 40];
/** A picture has the beginning of a longer output. */
const MOST_LINES = 60;

/** Writes the command line as a person types it. */
export function typed({ words }: View): string {
  return ['aisec --simulate', ...words.map((word) => quoted(word, 'posix'))].join(' ').replace(/\n/g, '\\n');
}

/** Runs a view at each width. @returns an SVG document @throws Error if the program ends otherwise than expected */
export async function draw(view: View, folder: () => string): Promise<string> {
  const panels: Panel[] = [];
  for (const columns of WIDTHS) {
    const text = await screenOf(view, columns, folder());
    const last = panels.at(-1);
    // The same text at more widths is drawn once.
    if (last?.text === text) panels.splice(-1, 1, { ...last, label: `${last.label}, ${columns}` });
    else panels.push({ label: `${columns}`, columns, text });
  }
  const line = typed(view);
  const shown = panels.map((panel) => ({ ...panel, label: `${panel.label} columns` }));
  return panelsPicture(line, shown);
}

/** Returns what stands on the screen. */
async function screenOf(view: View, columns: number, folder: string): Promise<string> {
  const isLive = view.moment === 'progress';
  const size: TerminalSize = { columns, rows: isLive ? SCREEN_ROWS : ALL_ROWS };
  const circumstances = { size, folder, simulated: tenant(view.isScanning === true), isLive };
  for (const words of view.before ?? []) await fromPresent(() => runProgram(words, circumstances));
  const { code, written } = await fromPresent(() => runProgram(view.words, circumstances));
  const screens = screensOf(written);
  const wanted = view.code ?? 0;
  if (code !== wanted) throw new Error(`${typed(view)} ended with ${code}, not ${wanted}:\n${screens.at(-1)}`);
  return beginning((isLive ? halfDone(screens) : screens.at(-1)) ?? '');
}

/** Returns the first screen on which half of the work is done. */
function halfDone(screens: readonly string[]): string | undefined {
  return screens.find((screen) => Number(/(\d+) %/.exec(screen)?.[1] ?? 0) >= 50);
}

function beginning(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= MOST_LINES) return text;
  return [...lines.slice(0, MOST_LINES - 1), `\u001b[2m… ${lines.length - MOST_LINES + 1} more lines\u001b[22m`].join(
    '\n',
  );
}
