/** What the benchmarks share. */
import { spawnSync } from 'node:child_process';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Runs a command to its end. @returns milliseconds @throws when it fails: a command that fails fast is not a fast one */
export function timeOf([program, ...words], environment = {}) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(program, words, { env: { ...process.env, ...environment }, encoding: 'utf8' });
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${[program, ...words].join(' ')} failed: ${stderr}`);
  return milliseconds;
}

/** A markdown table. */
export function table(columns, rows) {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
