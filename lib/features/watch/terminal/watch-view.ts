/** Shows a watched scan: a block that is redrawn on a terminal, log lines elsewhere, then the outcome, or its JSON. */
import { asText } from '../../../core/json.ts';
import type { Amount, ShowProgress } from '../../../core/progress.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import type { SubcommandContext } from '../../../hosts/terminal/line/subcommand.ts';
import { oneLineCell, severityOf, stateOf, withMark } from '../../../hosts/terminal/ui/cells.ts';
import { columns } from '../../../hosts/terminal/ui/measure.ts';
import { progressLine } from '../../../hosts/terminal/ui/progress.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import type { Screen } from '../../../hosts/terminal/ui/screen.ts';
import { subcommandLine } from '../../../hosts/terminal/ui/shell.ts';
import type { Style } from '../../../hosts/terminal/ui/style.ts';
import { cut, cutAtWord, UNBROKEN, wrapped } from '../../../hosts/terminal/ui/wrap.ts';
import { intervalText, isContradicted, rateInterval, scanInterval } from '../../scans/chance.ts';
import { type Category, type LiveScan, progressOf } from '../until-ended.ts';

const LONGEST_NAME = 24;
const LONGEST_BAR = 24;
const MAX_SUCCESSES = 5;
const INDENT = '  ';
const HINT = 'Ctrl-C stops watching; the scan goes on.';

interface Watched {
  readonly scan: LiveScan;
  readonly line: string;
  readonly amount: Amount | undefined;
  /** Start of the watch, by `performance.now()`. */
  readonly since: number;
}

/** Renders the block; a short screen shows fewer attacks, then fewer categories. */
export function liveLines(
  { scan, line, amount, since }: Watched,
  { width, height }: { readonly width: number; readonly height: number },
  style: Style,
): string[] {
  const head = [headOf(scan, width, style), progressLine({ line: clean(line), amount, since }, width)];
  const room = height - head.length - 1;
  const categories = categoryLines(scan.categories, width, style).slice(0, Math.max(0, room));
  const attacks = attackLines(scan, width, style).slice(0, Math.max(0, room - categories.length));
  return [...head, ...categories, ...attacks, style.dim(cut(HINT, { width, measure: columns }))];
}

/** Renders a log line. */
export function logLine({ job, categories }: LiveScan, line: string): string {
  const [judged, successful] = sums(categories);
  const share = `${percent(successful, judged)}, ${intervalOf(successful, judged)} at 95 %`;
  const rate = judged === 0 ? '' : `; ${successful} of ${judged} succeeded (${share})`;
  return oneLineCell(`${asText(job.name ?? job.uuid)}: ${asText(job.status)}, ${line}${rate}`);
}

type EndScreen = Pick<Screen, 'width' | 'style' | 'terminal' | 'shell'>;

/** Renders the outcome of a finished scan. */
export function endLines(scan: LiveScan, screen: EndScreen): string[] {
  const { width, style } = screen;
  const { progress } = progressOf(scan.job);
  const { asr, score } = scan.job;
  const interval = scanInterval(scan.job);
  const bounds = interval === undefined ? '' : ` (${intervalText(interval)} at 95 %)`;
  const isRate = typeof asr === 'number' && !isContradicted(asr);
  const rate = isRate ? `, ASR ${asr} %${bounds}` : typeof asr === 'number' ? ', ASR contradicted' : '';
  const risk = typeof score === 'number' ? `, risk score ${score} of 100` : '';
  return [
    headOf(scan, width, style),
    `  ${progress}${rate}${risk}`,
    ...categoryLines(scan.categories, width, style),
    ...attackLines(scan, width, style),
    ...(scan.job.status === 'COMPLETED' ? reportLines(asText(scan.job.uuid), screen) : []),
  ];
}

/** Writes the report command on one line, in a log and on a terminal. */
function reportLines(id: string, { width, terminal, shell }: EndScreen): string[] {
  const command = subcommandLine(['report', id, '--html', 'report.html'], shell);
  if (!terminal) return [`report: ${command}`];
  return wrapped(`report: ${command.replaceAll(' ', UNBROKEN)}`, width, columns);
}

/** Returns the outcome for programs: counts, without the text of any attack. */
export function watchJson({ job, categories, unread }: LiveScan, simulated: boolean) {
  const { uuid, name, target_name, job_type, status, completed, total, asr, score } = job;
  return {
    watch: uuid ?? null,
    ...{ name: name ?? null, target: target_name ?? null, job_type: job_type ?? null, status: status ?? null },
    ...{ completed: completed ?? null, total: total ?? null, asr: asr ?? null, score: score ?? null },
    categories,
    ...(unread === undefined ? {} : { unread }),
    ...(simulated ? { simulated } : {}),
  };
}

function headOf({ job }: LiveScan, width: number, style: Style): string {
  const { text, mark } = stateOf(asText(job.status));
  const parts = [job.name ?? job.uuid, job.target_name, job.job_type].map((part) => clean(part ?? ''));
  const rest = parts.filter((part) => part !== '').join('  ');
  const state = clean(text);
  const shown = cut(rest, { width: Math.max(1, width - columns(state) - 2), measure: columns });
  return `${mark === undefined ? state : style[mark.colour](state)}  ${style.bold(shown)}`;
}

/** Renders the rates: with their intervals if every line has space for them, and with a bar in the space left. */
function categoryLines(categories: readonly Category[], width: number, style: Style): string[] {
  const names = columnOf(categories.map(({ name }) => cutAtWord(clean(name), LONGEST_NAME, columns)));
  const counts = categories.map(({ judged, successful }) => `${successful}/${judged}`);
  const digits = widest(counts);
  const intervals = columnOf(categories.map(({ judged, successful }) => intervalOf(successful, judged)));
  const lines = categories.map(({ judged, successful }, at) => {
    const figures = `${(counts[at] ?? '').padStart(digits)}  ${percent(successful, judged).padStart(7)}`;
    return `  ${names[at] ?? ''}  ${figures}`;
  });
  const isWide = widest(lines) + 2 + widest(intervals) <= width;
  return categories.map(({ judged, successful }, at) => {
    const text = isWide ? `${lines[at] ?? ''}  ${intervals[at] ?? ''}` : (lines[at] ?? '');
    const room = Math.min(LONGEST_BAR, width - columns(text) - 2);
    const length = judged === 0 ? 0 : Math.ceil((successful / judged) * Math.max(0, room));
    return length === 0 ? text.trimEnd() : `${text}  ${style.red('█'.repeat(length))}`;
  });
}

/** Pads strings to the same width. */
function columnOf(texts: readonly string[]): string[] {
  const longest = widest(texts);
  return texts.map((text) => text + ' '.repeat(longest - columns(text)));
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columns(text)), 0);
}

function attackLines({ successes, unread }: LiveScan, width: number, style: Style): string[] {
  if (unread !== undefined)
    return [style.dim(cut(`  The attacks cannot be read: ${clean(unread)}`, { width, measure: columns }))];
  const attacks = successes.slice(0, MAX_SUCCESSES);
  const kinds = columnOf(attacks.map(({ where }) => cutAtWord(clean(where.at(-1) ?? ''), LONGEST_NAME, columns)));
  const shown = attacks.map(({ severity, text, prompt, goal }, at) => {
    const { text: shownSeverity, mark } = severityOf(clean(severity ?? ''));
    const line = `${INDENT}${shownSeverity}  ${kinds[at] ?? ''}  ${clean(text ?? prompt ?? goal ?? '')}`;
    return withMark(cut(line, { width, measure: columns }), INDENT.length, mark, style);
  });
  return shown.length === 0 ? [] : [style.bold('newest successful attacks'), ...shown];
}

function sums(categories: readonly Category[]): readonly [number, number] {
  return [
    categories.reduce((sum, { judged }) => sum + judged, 0),
    categories.reduce((sum, { successful }) => sum + successful, 0),
  ];
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((part / whole) * 100).toFixed(1)} %`;
}

/** Formats the 95 % interval of a rate; returns nothing without trials. */
function intervalOf(part: number, whole: number): string {
  const interval = rateInterval(part, whole);
  return interval === undefined ? '' : intervalText(interval);
}

function clean(text: unknown): string {
  return sanitize(oneLineCell(asText(text)));
}

const SILENCE_MS = 30_000;

interface Reporter {
  state(scan: LiveScan): void;
  readonly progress: ShowProgress;
}

/** Creates the reporter for the program's output streams. */
export function reporterFor({ screen, options }: Pick<SubcommandContext, 'screen' | 'options'>): Reporter {
  // Standard output for programs contains only the outcome.
  const isData = options.format !== undefined && isForPrograms(options.format);
  const print = (line: string) => (isData ? screen.report(line) : screen.result(line));
  const since = performance.now();
  let scan: LiveScan | undefined;
  const state = (next: LiveScan) => {
    scan = next;
  };
  if (options.quiet) return { state, progress: () => undefined };
  return screen.redraws
    ? { state, progress: (line, amount) => draw(scan, line, amount) }
    : {
        state,
        progress: inLog(
          (line) => print(sanitize(line)),
          () => scan,
        ),
      };

  function draw(shown: LiveScan | undefined, line: string, amount: Amount | undefined): void {
    if (shown === undefined) screen.progress(line, since, amount);
    else
      screen.live((width, height) =>
        liveLines({ scan: shown, line, amount, since }, { width, height }, screen.noteStyle),
      );
  }
}

/** Prints a line when the state has changed, or after 30 seconds of silence. */
function inLog(print: (line: string) => void, scan: () => LiveScan | undefined): ShowProgress {
  let [before, saidAt] = ['', Number.NEGATIVE_INFINITY];
  return (line) => {
    const latest = scan();
    const key = latest === undefined ? line : `${latest.job.status} ${latest.job.completed}`;
    const now = performance.now();
    if (key === before && now - saidAt < SILENCE_MS) return;
    [before, saidAt] = [key, now];
    print(latest === undefined ? line : logLine(latest, line));
  };
}
