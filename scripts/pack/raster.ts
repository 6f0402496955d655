/** Converts SVG to PNG with the system's chromium, because the platform's content repository takes PNG. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAMS: readonly string[] = ['chromium', 'chromium-browser', 'google-chrome'];
/** Timeout of one picture, in milliseconds; a browser's cold start takes seconds. */
const TIMEOUT_MS = 60_000;

/**
 * Converts pictures.
 * @param pictures SVG documents by name
 * @param programs names or paths of browsers; the first one found is used
 * @returns PNGs by name; none if there is no browser, or if one picture failed
 */
export function rasterised(
  pictures: ReadonlyMap<string, string>,
  programs: readonly string[] = PROGRAMS,
): ReadonlyMap<string, Uint8Array> {
  const program = programs.find((name) => spawnSync(name, ['--version'], { timeout: TIMEOUT_MS }).status === 0);
  if (program === undefined) return new Map();
  const folder = mkdtempSync(join(tmpdir(), 'aisec-pictures-'));
  try {
    const drawn = new Map(Array.from(pictures, ([name, svg]) => [name, drawnBy(program, folder, svg)]));
    // The pack has either PNG or SVG, never both.
    return [...drawn.values()].some(({ length }) => length === 0) ? new Map() : drawn;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Draws one picture. @returns an empty array if it fails */
function drawnBy(program: string, folder: string, svg: string): Uint8Array {
  const [source, target] = [join(folder, 'picture.svg'), join(folder, 'picture.png')];
  const [, width = '0', height = '0'] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  // Clears the previous picture, so that a failure is noticed.
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
    timeout: TIMEOUT_MS,
  });
  return readFileSync(target);
}
