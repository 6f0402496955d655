/** SVG as PNG, by the chromium of the system where there is one: the platform's content repository takes PNG. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAMS: readonly string[] = ['chromium', 'chromium-browser', 'google-chrome'];
/** Milliseconds for one picture; a cold start of a browser takes some seconds. */
const LONGEST = 60_000;

/**
 * @param pictures SVG documents by name
 * @param programs names or paths of browsers, of which the first one found draws
 * @returns PNGs by the same names; none where there is no browser, or one picture could not be drawn
 */
export function rasterised(
  pictures: ReadonlyMap<string, string>,
  programs: readonly string[] = PROGRAMS,
): ReadonlyMap<string, Uint8Array> {
  const program = programs.find((name) => spawnSync(name, ['--version'], { timeout: LONGEST }).status === 0);
  if (program === undefined) return new Map();
  const folder = mkdtempSync(join(tmpdir(), 'aisec-pictures-'));
  try {
    const drawn = new Map(Array.from(pictures, ([name, svg]) => [name, drawnBy(program, folder, svg)]));
    // Readers find either PNG or SVG, never both.
    return [...drawn.values()].some(({ length }) => length === 0) ? new Map() : drawn;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns nothing, of length 0, where the program draws nothing */
function drawnBy(program: string, folder: string, svg: string): Uint8Array {
  const [source, target] = [join(folder, 'picture.svg'), join(folder, 'picture.png')];
  const [, width = '0', height = '0'] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  // A picture that fails must not be taken for the one before it.
  writeFileSync(target, '');
  writeFileSync(source, svg);
  // Chromium refuses its sandbox to root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const output = [
    `--screenshot=${target}`,
    `--window-size=${width},${height}`,
    `--user-data-dir=${join(folder, 'user')}`,
  ];
  spawnSync(program, ['--headless', '--disable-gpu', '--hide-scrollbars', ...sandbox, ...output, `file://${source}`], {
    timeout: LONGEST,
  });
  return readFileSync(target);
}
