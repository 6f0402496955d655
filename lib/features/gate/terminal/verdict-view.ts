/** Shows a gate's verdict on a screen: the decision, the findings that matter, and where to see the rest. */
import { ServiceError } from '../../../core/errors.ts';
import { grouped, plural } from '../../../core/text/numbers.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { marked } from '../../../hosts/terminal/result/records/record-view.ts';
import { renderResult } from '../../../hosts/terminal/result/results.ts';
import { oneLineCell, severityOf, withMark } from '../../../hosts/terminal/ui/cells.ts';
import { columns, measureFor } from '../../../hosts/terminal/ui/measure.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import type { Screen } from '../../../hosts/terminal/ui/screen.ts';
import { cut, cutAtStart, cutAtWord, type Page, wrapped } from '../../../hosts/terminal/ui/wrap.ts';
import { SIMULATED } from '../../../runtime/output/markdown.ts';
import type { Result } from '../../../runtime/output/result.ts';
import { intervalText } from '../../scans/chance.ts';
import { figure } from '../../scans/format.ts';
import type { DecidedFinding, Level, Verdict } from '../decide.ts';
import type { Finding } from '../finding.ts';
import type { GateContext } from './flags.ts';

/** The whole screen has at most ten lines, so that people read it in a pipeline's log. */
const MAX_FINDINGS = 6;
const MAX_SUMMARY_LINES = 2;
const MAX_TITLE_LENGTH = 30;

interface GateView {
  readonly simulated: boolean;
  /** Show every limit and every finding, with the limit that each finding broke. */
  readonly explain: boolean;
  /** Files that the gate wrote. */
  readonly files: readonly string[];
  readonly exitCode: number;
}

/** Renders the verdict. */
export async function renderVerdict(verdict: Verdict, view: GateView, screen: Screen): Promise<string> {
  const { width, style } = screen;
  const page = { width, style, measure: await measureFor(verdict) };
  const { findings, named } = verdict;
  const shown = view.explain ? findings : findings.slice(0, MAX_FINDINGS);
  const rest = findings.length - shown.length;
  const end = [...(named === undefined ? [] : [`scan ${named.id}`]), ...view.files, `exit ${view.exitCode}`];
  return [
    ...heading(verdict, view.simulated, page),
    ...summaryLines(verdict, view, page),
    ...(view.explain ? outcomeLines(verdict) : []),
    ...findingLines(shown, view, page),
    ...(rest === 0 ? [] : [`  and ${plural(rest, 'more finding')}; all of them: --explain, --sarif FILE`]),
    `  ${end.join('  ')}`,
  ].join('\n');
}

/** The first line shows the address of the result; only --explain repeats it, in full. */
function summaryLines({ summary, named }: Verdict, { explain }: GateView, { width, measure }: Page): string[] {
  const text = oneLineCell(explain || named === undefined ? summary : asSentence(named.summary));
  const lines = wrapped(sanitize(text), Math.max(20, width - 2), measure);
  const shown = explain ? lines : lines.slice(0, MAX_SUMMARY_LINES);
  const isCut = shown.length < lines.length;
  return shown.map((line, at) => `  ${line}${isCut && at === shown.length - 1 ? ' …' : ''}`);
}

function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function outcomeLines({ limits }: Verdict): string[] {
  return limits.map(({ source, broken, doubt, used }) => {
    const outcome = oneLineCell(broken ?? doubt ?? used ?? 'holds');
    const mark = broken === undefined ? (doubt === undefined ? '✓' : '?') : '✗';
    return sanitize(`  ${mark} ${oneLineCell(source)}: ${outcome}`);
  });
}

function findingLines(findings: readonly DecidedFinding[], { explain }: GateView, page: Page): string[] {
  const { measure } = page;
  const titles = findings.map(({ title }) => cutAtWord(sanitize(oneLineCell(title)), MAX_TITLE_LENGTH, measure));
  const widest = titles.reduce((most, title) => Math.max(most, measure(title)), 0);
  return findings.flatMap((finding, at) => {
    const title = titles[at] ?? '';
    const padding = ' '.repeat(widest - measure(title));
    const what = sanitize(oneLineCell(finding.excerpt ?? finding.place.uri));
    const { text: severity, mark } = severityOf(finding.severity);
    const start = `  ${MARKS[finding.level]} `;
    const line = cut(`${start}${severity}  ${title}${padding}  ${what}`, page);
    return [withMark(line, start.length, mark, page.style), ...(explain ? [`      ${reasonOf(finding)}`] : [])];
  });
}

const MARKS: Readonly<Record<Level, string>> = { failure: '✗', warning: '!', note: '·' };

function reasonOf({ because, accepted, level, fingerprint, baselineState }: DecidedFinding): string {
  const id = `finding ${fingerprint}`;
  if (accepted !== undefined) {
    return sanitize(
      oneLineCell(
        `${id}: accepted until ${accepted.expires} by ${accepted.owner}: ${accepted.reason} (${because ?? ''})`,
      ),
    );
  }
  if (level === 'failure') return sanitize(oneLineCell(`${id}: breaks ${because ?? ''}`));
  return `${id}: breaks no limit${baselineState === undefined ? '' : `; ${baselineState} since the baseline`}`;
}

/** Says that no tenant answered, unless the result on the same terminal is already marked as simulated. */
export function noteSimulated({ options: { format }, screen }: Pick<GateContext, 'options' | 'screen'>): void {
  const isForPeople = format === undefined || !isForPrograms(format);
  if (isForPeople && screen.terminal && screen.noteTerminal) return;
  screen.note('note: answered by the simulated service, not by a tenant.');
}

/**
 * Shows the request that would start the scan.
 * @throws ServiceError always: a gate without a result must not end with 0
 */
export async function showPlanned(
  planned: Result,
  { options, screen, signal }: GateContext,
  simulated: boolean,
): Promise<never> {
  const { width, style, terminal } = screen;
  // As with a verdict, the output is for people unless a format was requested.
  const format = options.format !== undefined && isForPrograms(options.format) ? 'json' : 'table';
  const page = { width, style, terminal, signal, measure: await measureFor(planned.readable) };
  screen.result(await renderResult(planned, format, page));
  if (simulated) noteSimulated({ options, screen });
  throw new ServiceError('This is a dry run, so no scan was started and there is no verdict.', {
    hint: 'This is not a pass. Leave out --dry-run to start the scan.',
  });
}

const GAP = '  ';
/** Minimum columns for an address, enough to tell models apart; counts are dropped first. */
const NARROWEST_ADDRESS = 16;
/** Matches a path segment whose beginning was cut off, if a complete segment follows. */
const PART_OF_NAME = /^…[^/]{0,8}\/(?=[^/])/;

/** Renders the first line. */
function heading(verdict: Verdict, simulated: boolean, page: Page): string[] {
  const { failed, unfinished } = verdict;
  const { style, width } = page;
  const [sign, paint] =
    unfinished === undefined
      ? failed
        ? (['✗', style.red] as const)
        : (['✓', style.green] as const)
      : ['?', style.yellow];
  const room = width - `${sign} `.length - (simulated ? GAP.length + SIMULATED.length : 0);
  const { name, figures } = titleOf(verdict, { ...page, width: room });
  return marked(
    { plain: `${sign} ${name}${figures}`, painted: `${paint(sign)} ${style.bold(name)}${figures}` },
    simulated,
    page,
  );
}

interface Title {
  readonly name: string;
  /** Rate or counts; empty if the line has no space for them. */
  readonly figures: string;
}

function titleOf(verdict: Verdict, { width, measure }: Pick<Page, 'width' | 'measure'>): Title {
  const { named, subject } = verdict;
  if (named === undefined) {
    const name = clean(subject);
    const rate = rateText(verdict);
    return { name, figures: measure(name + rate) <= width ? rate : '' };
  }
  const address = clean(named.address);
  const counts = countsText(verdict);
  const taken = named.kind.length + 1;
  const beside = width - taken - measure(counts);
  const isRoomy = beside >= Math.min(NARROWEST_ADDRESS, measure(address));
  const shown = cutAtStart(address, Math.max(1, isRoomy ? beside : width - taken), measure).replace(PART_OF_NAME, '…');
  return { name: `${named.kind} ${shown}`, figures: isRoomy ? counts : '' };
}

/** Writes the rate with its interval. */
function rateText({ rate }: Verdict): string {
  if (rate?.interval === undefined) return '';
  return `${GAP}ASR ${figure(rate.asr)} % (${intervalText(rate.interval)} at 95 %)`;
}

/** Counts the findings by what they mean for the gate; a result without a verdict may lack some. */
function countsText({ findings, failed, unfinished }: Verdict): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const accepted = findings.filter((finding) => finding.accepted !== undefined).length;
  const [blocking, warnings] = [count('failure'), count('warning')];
  const parts = [
    ...(blocking === 0 ? [] : [`${grouped(blocking)} blocking`]),
    ...(warnings === 0 ? [] : [plural(warnings, 'warning')]),
    ...(accepted === 0 ? [] : [`${grouped(accepted)} accepted`]),
  ];
  if (parts.length > 0) return GAP + parts.join(', ');
  return failed || unfinished !== undefined ? '' : `${GAP}no violations`;
}

function clean(text: string): string {
  return sanitize(oneLineCell(text));
}

/** Three lines of 80 columns, minus the space lost to words that do not fit at the end of a line. */
const ROOM = 3 * 80 - 'hint: '.length - 2 * 14;
/** Ids of checks are single words. */
const CHECK = /^\S{1,40}$/;

/** Returns the hint of a failed gate. */
export function hintFor({ findings, see }: Verdict): string | undefined {
  const worst = findings.find(({ level, baselineState }) => level === 'failure' && baselineState !== 'absent');
  if (worst === undefined) return see === undefined ? undefined : `See the result with: ${see}`;
  const accept = `A policy (--policy FILE) can accept finding ${worst.fingerprint} until a date.`;
  return `${explanation(worst, ROOM - accept.length - 1)} ${accept}`;
}

/** Explains a finding with the first text that the service sent about it, and names the check. */
function explanation({ message, title, explained }: Finding, room: number): string {
  if (explained === undefined) return message;
  const check = CHECK.test(explained.check) ? ` See ${explained.check}.` : '';
  const [text = `The rule that is broken: ${title}`] = explained.texts;
  const sentence = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.!?…])$/, '.');
  return cutAtWord(sentence, room - check.length, columns) + check;
}
