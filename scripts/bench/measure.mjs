/** What the benchmarks share. */
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median, and between which figures the middle half of all lies. */
export function spread(values, digits = 2) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => (sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN).toFixed(digits);
  return `${median(values).toFixed(digits)} (${at(0.25)} to ${at(0.75)})`;
}

/** The median, and between which figures all of them lie. */
export function range(values, digits = 2) {
  const of = (figure) => figure.toFixed(digits);
  return values.length === 1
    ? of(values[0])
    : `${of(median(values))} (${of(Math.min(...values))} to ${of(Math.max(...values))})`;
}

/**
 * The environment of every process that is measured: where programs are, a home, and what is given. What else this process
 * was started with could make an empty Node slow, and every ratio to it small.
 */
export function cleanEnvironment(given = {}) {
  return { PATH: process.env.PATH, HOME: process.env.HOME, ...given };
}

/** For a section that is measured by itself: when, with which Node, and how busy the machine was meanwhile. */
export function measuredOn() {
  const [, , load] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day} with Node ${process.version}; on average ${load.toFixed(1)} processes wanted one of ${cpus().length} cores.`;
}

/** Runs a command to its end. @returns milliseconds @throws when it fails: a command that fails fast is not a fast one */
export function timeOf([program, ...words], environment = {}) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, words, { env: cleanEnvironment(environment), encoding: 'utf8' });
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${[program, ...words].join(' ')} failed: ${stderr}`);
  return milliseconds;
}

/** A markdown table. */
export function table(columns, rows) {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
