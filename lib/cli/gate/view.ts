/** Shows the verdict of a gate on a screen: the decision, the findings that matter, and where the rest is. */

import { ServiceError } from '../../core/errors.ts';
import type { DecidedFinding, Level, Verdict } from '../../features/gate/decide.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { oneLine, severityOf, withMark } from '../../hosts/terminal/render/cells.ts';
import { measureFor } from '../../hosts/terminal/render/measure.ts';
import { renderResult } from '../../hosts/terminal/render/results.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import type { Screen } from '../../hosts/terminal/render/screen.ts';
import { cut, cutAtWord, type Page, wrapped } from '../../hosts/terminal/render/wrap.ts';
import type { Result } from '../../output/result.ts';
import { plural } from '../../text/numbers.ts';
import type { GateContext } from './flags.ts';
import { heading } from './heading.ts';

/** The whole screen has ten lines at most, so that it is read in the log of a pipeline. */
const MAX_FINDINGS = 6;
const MAX_SUMMARY_LINES = 2;
const MAX_TITLE_LENGTH = 30;

export interface GateView {
  readonly simulated: boolean;
  /** Shows every limit and every finding, and what each broke. */
  readonly explain: boolean;
  /** Files that were written. */
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

/** The first line has the address of the result: only --explain repeats it, in full. */
function summaryLines({ summary, named }: Verdict, { explain }: GateView, { width, measure }: Page): string[] {
  const text = oneLine(explain || named === undefined ? summary : asSentence(named.summary));
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
    const outcome = oneLine(broken ?? doubt ?? used ?? 'holds');
    const mark = broken === undefined ? (doubt === undefined ? '✓' : '?') : '✗';
    return sanitize(`  ${mark} ${oneLine(source)}: ${outcome}`);
  });
}

function findingLines(findings: readonly DecidedFinding[], { explain }: GateView, page: Page): string[] {
  const { measure } = page;
  const titles = findings.map(({ title }) => cutAtWord(sanitize(oneLine(title)), MAX_TITLE_LENGTH, measure));
  const widest = titles.reduce((most, title) => Math.max(most, measure(title)), 0);
  return findings.flatMap((finding, at) => {
    const title = titles[at] ?? '';
    const padding = ' '.repeat(widest - measure(title));
    const what = sanitize(oneLine(finding.excerpt ?? finding.place.uri));
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
      oneLine(`${id}: accepted until ${accepted.expires} by ${accepted.owner}: ${accepted.reason} (${because ?? ''})`),
    );
  }
  if (level === 'failure') return sanitize(oneLine(`${id}: breaks ${because ?? ''}`));
  return `${id}: breaks no limit${baselineState === undefined ? '' : `; ${baselineState} since the baseline`}`;
}

/** Says that no tenant answered, unless the mark of the result stands on the same terminal. */
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
  // As for a verdict: the output is for people unless a format was asked for.
  const format = options.format !== undefined && isForPrograms(options.format) ? 'json' : 'table';
  const page = { width, style, terminal, signal, measure: await measureFor(planned.readable) };
  screen.result(await renderResult(planned, format, page));
  if (simulated) noteSimulated({ options, screen });
  throw new ServiceError('This is a dry run, so no scan was started and there is no verdict.', {
    hint: 'This is not a pass. Leave out --dry-run to start the scan.',
  });
}
