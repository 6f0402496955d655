/** The first line of a gate: what was judged, the figures that decide, and the mark of the simulated service. */
import type { Level, Verdict } from '../../features/gate/decide.ts';
import { intervalText } from '../../features/report/chance.ts';
import { figure } from '../../features/report/page/format.ts';
import { oneLine } from '../../hosts/terminal/render/cells.ts';
import { marked } from '../../hosts/terminal/render/records/record-view.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import { cutAtStart, type Page } from '../../hosts/terminal/render/wrap.ts';
import { SIMULATED } from '../../output/markdown.ts';
import { grouped, plural } from '../../text/numbers.ts';

const GAP = '  ';
/** Columns of an address that still tell models apart: counts give way to them. */
const NARROWEST_ADDRESS = 16;
/** The end of a name that was cut, before a whole one. */
const PART_OF_NAME = /^…[^/]{0,8}\/(?=[^/])/;

/** Renders the first line. */
export function heading(verdict: Verdict, simulated: boolean, page: Page): string[] {
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
  /** Empty where the line has no room for them. */
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
  return sanitize(oneLine(text));
}
