/** Shows totals of many records: counts by kind, bars by detector, and the file with the records. */
import { relative } from 'node:path';
import { grouped, plural } from '../../../core/text/numbers.ts';
import { detectorName } from '../../../runtime/output/detectors.ts';
import type { Tally } from '../../../runtime/output/result.ts';
import { sanitize } from '../ui/sanitize.ts';
import { type Dialect, quoted } from '../ui/shell.ts';
import { type Page, wrapped } from '../ui/wrap.ts';

const MAX_BAR_LENGTH = 8;
const GAP = '   ';

/** Renders the lines of a summary. @param dialect of the shell where its command is pasted */
export function renderTally(tally: Tally, page: Page, dialect: Dialect): string[] {
  const { file, next } = tally;
  const lines = [countLine(tally), ...bars(tally)];
  if (file !== undefined) {
    const path = quoted(shortest(file.entry), dialect);
    lines.push(`results in ${path}${GAP}gate it: ${next} ${path}`);
  }
  return lines.flatMap((line) => wrapped(sanitize(line), page.width, page.measure));
}

function countLine({ noun, total, milliseconds, outcomes }: Tally): string {
  const [first, ...others] = outcomes.map(([name, count]) => `${name} ${grouped(count)}`);
  const share = total === 0 ? '' : ` (${percentText(outcomes[0]?.[1] ?? 0, total)})`;
  return `${plural(total, noun)} in ${seconds(milliseconds)}${GAP}${[`${first ?? ''}${share}`, ...others].join('  ')}`;
}

/** Writes a share in whole percent; only an empty share is 0, and only a full share is 100. */
function percentText(part: number, whole: number): string {
  const percent = Math.round((part / whole) * 100);
  if (percent === 0 && part > 0) return '< 1 %';
  return percent === 100 && part < whole ? '> 99 %' : `${percent} %`;
}

function seconds(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

function bars({ parts }: Tally): string[] {
  const sorted = parts.toSorted(([, a], [, b]) => b - a);
  const most = sorted[0]?.[1] ?? 0;
  const names = sorted.map(([name]) => detectorName(name));
  const longest = names.reduce((widest, { length }) => Math.max(widest, length), 0);
  const digits = grouped(most).length;
  return sorted.map(([, count], at) => {
    const bar = '█'.repeat(Math.max(1, Math.round((count / most) * MAX_BAR_LENGTH)));
    return `${(names[at] ?? '').padEnd(longest)}  ${grouped(count).padStart(digits)} ${bar}`;
  });
}

/** Returns the path as a user in this directory would type it. */
function shortest(path: string): string {
  const short = relative('.', path);
  return short === '' || short.startsWith('..') ? path : short;
}
