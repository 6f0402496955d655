/** Helpers of the benchmarks. */
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';

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

/**
 * Creates the environment of measured processes: PATH, HOME and the given variables only. Others, such as
 * `NODE_EXTRA_CA_CERTS`, could slow down an empty Node and so reduce every ratio.
 */
export function cleanEnvironment(variables = {}) {
  return { PATH: process.env.PATH, HOME: process.env.HOME, ...variables };
}

/** Describes the measurement of one section: date, Node version and load of the machine. */
export function measuredOn() {
  const [, , load] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day} with Node ${process.version}; load average ${load.toFixed(1)} on ${cpus().length} cores.`;
}

/** Runs a command to its end. @returns milliseconds @throws if it fails: a fast failure is not a fast command */
export function timeOf([program, ...args], environment = {}) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, args, { env: cleanEnvironment(environment), encoding: 'utf8' });
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} failed: ${stderr}`);
  return milliseconds;
}

/** Renders a markdown table. */
export function table(columns, rows) {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
