/** Helpers of the benchmarks. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { cleanEnvironment } from '../start-program.mjs';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Formats the median and the middle half. */
export function spread(values, digits = 2) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => (sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN).toFixed(digits);
  return `${median(values).toFixed(digits)} (${at(0.25)} to ${at(0.75)})`;
}

/** Formats the median and the range. */
export function range(values, digits = 2) {
  const of = (figure) => figure.toFixed(digits);
  return values.length === 1
    ? of(values[0])
    : `${of(median(values))} (${of(Math.min(...values))} to ${of(Math.max(...values))})`;
}

/** Describes one section's measurement: date, Node version and machine load. */
export function measuredOn() {
  const [, , load] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  const busy = load > cpus().length ? ' The machine was busy with other work, so all figures vary.' : '';
  return `Measured on ${day} with Node ${process.version}; load average ${load.toFixed(1)} on ${cpus().length} cores.${busy}`;
}

/**
 * Runs a command to its end.
 * @returns milliseconds
 * @throws if it fails, because a fast failure is not a fast command
 */
export function timeOf([program, ...args], environment = {}) {
  const start = performance.now();
  const { status, stderr } = spawnSync(program, args, { env: cleanEnvironment(environment), encoding: 'utf8' });
  const milliseconds = performance.now() - start;
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} failed: ${stderr}`);
  return milliseconds;
}

/**
 * Measures several things in turn, so that other load on the machine affects all of them; the first round is a warm-up.
 * @returns the figures of each, by round
 */
export async function interleaved(things, rounds, measure) {
  const found = things.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, thing] of things.entries()) {
      const figure = await measure(thing);
      if (round > 0) found[index].push(figure);
    }
  }
  return found;
}

/** Divides figures by other figures of the same round. */
export function over(figures, others) {
  return figures.map((figure, round) => figure / others[round]);
}

/** Measures an empty Node process. @returns milliseconds */
export function emptyNode() {
  return timeOf([process.execPath, '-e', '0']);
}

/** Creates a generator of reproducible numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Renders a markdown table. */
export function table(columns, rows) {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

/** Replaces a section of docs/benchmarks.md, so that each script changes only its own. */
export function keepSection(section) {
  const file = join(ROOT, 'docs', 'benchmarks.md');
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), section));
}

/** Returns the document with the section replaced; a new section is added at the end. */
export function withSection(document, section) {
  const parts = document.split(/^(?=## )/m);
  const [heading] = section.split('\n');
  const place = parts.findIndex((part) => part.startsWith(`${heading}\n`));
  parts.splice(place < 0 ? parts.length : place, 1, section);
  return `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`;
}
