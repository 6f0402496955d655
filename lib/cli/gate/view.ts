/** Shows the verdict of a gate on a screen: the decision, the findings that matter, and where the rest is. */

import { ServiceError } from '../../core/errors.ts';
import type { DecidedFinding, Level, Verdict } from '../../features/gate/decide.ts';
import { intervalText } from '../../features/report/chance.ts';
import { figure } from '../../features/report/page/format.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { oneLine } from '../../hosts/terminal/render/cells.ts';
import { measureFor } from '../../hosts/terminal/render/measure.ts';
import { renderResult } from '../../hosts/terminal/render/results.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import type { Screen } from '../../hosts/terminal/render/screen.ts';
import { cut, cutAtWord, type Page, wrapped } from '../../hosts/terminal/render/wrap.ts';
import type { Result } from '../../output/result.ts';
import { plural } from '../../text/numbers.ts';
import type { GateContext } from './flags.ts';

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
  const { subject, failed, unfinished, findings, limits } = verdict;
  const { style, width } = screen;
  const measure = await measureFor(verdict);
  const state = unfinished === undefined ? (failed ? style.red('✗') : style.green('✓')) : style.yellow('?');
  const mark = view.simulated ? ` ${style.yellow('SIMULATED')}` : '';
  const start = `${state} ${style.bold(sanitize(oneLine(subject)))}`;
  const head = `${start}${rateText(verdict, { taken: `x ${subject}${view.simulated ? ' SIMULATED' : ''}`, width, measure })}${mark}`;
  const sentence = wrapped(sanitize(oneLine(verdict.summary)), Math.max(20, width - 2), measure);
  const summary = view.explain ? sentence : sentence.slice(0, MAX_SUMMARY_LINES);
  const isCut = summary.length < sentence.length;
  const shown = view.explain ? findings : findings.slice(0, MAX_FINDINGS);
  const titles = shown.reduce(
    (widest, { title }) => Math.max(widest, Math.min(MAX_TITLE_LENGTH, measure(sanitize(oneLine(title))))),
    0,
  );
  const page = { width, style, measure };
  const lines = shown.flatMap((finding) => {
    const title = cutAtWord(sanitize(oneLine(finding.title)), titles, measure);
    const padding = ' '.repeat(titles - measure(title));
    const what = sanitize(oneLine(finding.excerpt ?? finding.place.uri));
    const line = `${MARKS[finding.level]} ${finding.severity.toUpperCase().padEnd(8)}  ${title}${padding}  ${what}`;
    return [cut(`  ${line}`, page), ...(view.explain ? [`      ${reasonOf(finding)}`] : [])];
  });
  const rest = findings.length - shown.length;
  const outcomes = view.explain
    ? limits.map(
        ({ source, broken, used }) =>
          `  ${broken === undefined ? '✓' : '✗'} ${oneLine(source)}: ${oneLine(broken ?? used ?? 'holds')}`,
      )
    : [];
  const more = rest === 0 ? [] : [`  and ${plural(rest, 'more finding')}; all of them: --explain, --sarif FILE`];
  const files = view.files.length === 0 ? '' : `  ${view.files.join('  ')}`;
  return [
    head,
    ...summary.map((line, at) => `  ${line}${isCut && at === summary.length - 1 ? ' …' : ''}`),
    ...outcomes.map((line) => sanitize(line)),
    ...lines,
    ...more,
    `${files}  exit ${view.exitCode}`,
  ].join('\n');
}

/** Writes the rate with its interval where the first line has room for both. */
function rateText({ rate }: Verdict, { taken, width, measure }: RateRoom): string {
  if (rate?.interval === undefined) return '';
  const text = `  ASR ${figure(rate.asr)} % (${intervalText(rate.interval)} at 95 %)`;
  return measure(sanitize(oneLine(taken)) + text) <= width ? text : '';
}

interface RateRoom extends Pick<Page, 'width' | 'measure'> {
  /** Text of the line without the rate. */
  readonly taken: string;
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
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  throw new ServiceError('This is a dry run, so no scan was started and there is no verdict.', {
    hint: 'This is not a pass. Leave out --dry-run to start the scan.',
  });
}
