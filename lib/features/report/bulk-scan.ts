/** The page of a bulk scan, and its data, collected from its JSONL. */
import { asText } from '../../core/json.ts';
import type { TextReader } from '../../core/ports.ts';
import { plural } from '../../core/text/numbers.ts';
import { detectorName } from '../../runtime/output/detectors.ts';
import { isIncomplete } from '../../runtime/output/verdict.ts';
import { type BulkRow, readBulkFile } from '../scans/bulk-file.ts';
import { type Html, html } from '../scans/escape.ts';
import { counted, figure, moment, name, percentage, share, shortenedHtml } from '../scans/format.ts';
import { bars } from './page/charts.ts';
import { header, htmlTable, notesSection, pageOf, panel, pill, tiles } from './page/page.ts';
import { VERDICT_STYLE } from './page/style.ts';

/** Maximum number of blocked prompts on the page; all are counted. */
const MAX_BLOCKED = 200;
const MAX_KEPT_LENGTH = 4000;

interface BlockedRow {
  readonly row: number;
  readonly prompt: string;
  readonly detectors: readonly string[];
}

export interface BulkData {
  /** Name of the file. */
  readonly name: string;
  readonly profile: string | undefined;
  /** When the file was last written, as an ISO time. */
  readonly finishedAt?: string | undefined;
  readonly rows: number;
  readonly blocked: number;
  readonly allowed: number;
  /** Rows without a verdict. */
  readonly undecided: number;
  /** Rows that were allowed although a detector timed out or failed. */
  readonly unchecked: number;
  /** Blocked prompts by detector, the most frequent first; a prompt may have several. */
  readonly byDetector: readonly (readonly [detector: string, count: number])[];
  /** The first blocked prompts. */
  readonly first: readonly BlockedRow[];
  /** Why the file is not from a finished run. */
  readonly problems: readonly string[];
  readonly simulated: boolean;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

/** Collects a bulk scan. @param reader reads its JSONL, once */
export async function collectBulk(
  reader: TextReader,
  about: Pick<BulkData, 'name' | 'finishedAt' | 'createdAt' | 'version'>,
): Promise<BulkData> {
  const counts = { blocked: 0, allowed: 0, undecided: 0, unchecked: 0 };
  const byDetector = new Map<string, number>();
  const first: BlockedRow[] = [];
  const { rows, problems, simulated, profile } = await readBulkFile(reader, (row, line) => {
    const { decision, detectors } = row.reading;
    counts[outcomeOf(row)] += 1;
    if (decision !== 'block') return;
    for (const detector of detectors) byDetector.set(detector, (byDetector.get(detector) ?? 0) + 1);
    if (first.length < MAX_BLOCKED) first.push(blockedRow(row, line, detectors));
  });
  return {
    ...{ ...about, ...counts, rows, problems, simulated, profile, first },
    byDetector: [...byDetector].sort((a, b) => b[1] - a[1]),
  };
}

function outcomeOf({ reading }: BulkRow): 'blocked' | 'allowed' | 'undecided' | 'unchecked' {
  const { decision } = reading;
  if (decision !== 'none') return decision === 'block' ? 'blocked' : 'allowed';
  return isIncomplete(reading) ? 'unchecked' : 'undecided';
}

function blockedRow({ row, prompt }: BulkRow, line: number, detectors: readonly string[]): BlockedRow {
  const text = asText(prompt ?? '').slice(0, MAX_KEPT_LENGTH);
  return { row: row ?? line, prompt: text, detectors };
}

/** Explains, one clause per reason, why some prompts of the file have no complete verdict. */
export function doubtsAbout({ rows, undecided, unchecked, problems }: BulkData): string[] {
  return [
    rows === 0 ? 'it has no rows' : undefined,
    problems.length === 0 ? undefined : `it is not the file of a finished run: ${problems.join('; ')}`,
    undecided === 0 ? undefined : `there is no verdict for ${plural(undecided, 'prompt')}`,
    unchecked === 0 ? undefined : `a detector timed out or failed in ${plural(unchecked, 'prompt')}`,
  ].filter((doubt) => doubt !== undefined);
}

const KIND = 'Bulk scan report';
const MAX_PROMPT_LENGTH = 300;

/** Renders the page. */
export function bulkPage(data: BulkData): string {
  const { name: file, simulated } = data;
  const missing = data.problems.map((problem) => ({ what: 'The file of a finished run', why: problem, failed: true }));
  return pageOf({
    title: file,
    kind: KIND,
    simulated,
    style: VERDICT_STYLE,
    banners: [doubtsBanner(data)],
    main: html`${header(KIND, name(file), [
      ['Security profile', name(data.profile)],
      ...(data.finishedAt === undefined ? [] : [['Finished', moment(data.finishedAt)] as const]),
      ['Prompts', html`${figure(data.rows)}`],
    ])}
${overview(data)}
<div class="grid">
${detectorsPanel(data)}
${blockedPanel(data)}
</div>
${notesSection({ ...data, missing }, explained(data), html`the file ${name(file)}`)}`,
  });
}

/** Explains what the page shows, and the bars only if they add up to more than the blocked prompts. */
function explained({ byDetector, blocked }: BulkData): readonly Html[] {
  const isSeveral = byDetector.reduce((sum, [, count]) => sum + count, 0) > blocked;
  return isSeveral
    ? [html`Some prompts are blocked by several detectors: the bars add up to more than the number of blocked prompts.`]
    : [];
}

function doubtsBanner(data: BulkData): Html | undefined {
  const doubts = doubtsAbout(data).join('; ');
  if (doubts === '') return undefined;
  const sentence = doubts.charAt(0).toUpperCase() + doubts.slice(1);
  return html`<p class="banner partial"><b>INCOMPLETE</b> ${shortenedHtml(sentence, MAX_PROMPT_LENGTH)}. This is not a pass.</p>`;
}

function overview({ rows, blocked, allowed, undecided, unchecked }: BulkData): Html {
  const blockedShare = share(blocked, rows);
  return html`<section class="panel verdict" aria-label="Overview">${tiles([
    {
      ...{ term: 'Blocked', value: blocked, kind: blocked > 0 ? 'bad' : undefined },
      hint: blockedShare === undefined ? 'of no prompts' : `${percentage(blockedShare)} of the prompts`,
    },
    { term: 'Allowed', value: allowed, hint: 'by every detector' },
    { term: 'Not fully checked', value: unchecked, hint: 'a detector failed', kind: unchecked > 0 ? 'bad' : undefined },
    { term: 'No verdict', value: undecided, hint: 'errors', kind: undecided > 0 ? 'bad' : undefined },
  ])}</section>`;
}

/** Writes `toxic_content` as `Toxic content`; an abbreviation stays in capitals. */
function titleOf(detector: string): string {
  const words = detectorName(detector);
  return words === 'dlp' ? 'DLP' : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function detectorsPanel({ byDetector, blocked }: BulkData): Html | undefined {
  if (byDetector.length === 0) return undefined;
  const rows = byDetector.map(([detector, count]) => ({
    name: name(titleOf(detector)),
    rate: share(count, blocked),
    counts: `${figure(count)} of ${figure(blocked)}`,
  }));
  return panel('detectors', 'Blocked prompts by detector', bars('Share of the blocked prompts', rows), 'wide');
}

function blockedPanel({ first, blocked, rows }: BulkData): Html {
  if (blocked === 0) {
    const text = rows === 0 ? html`<p class="missing">The file has no rows.</p>` : html`<p>No prompt is blocked.</p>`;
    return panel('blocked', 'Blocked prompts', text, 'wide');
  }
  const cut =
    blocked > first.length
      ? html`<p class="small">The page has the first ${figure(first.length)} of ${counted(blocked, 'blocked prompt')}.</p>`
      : undefined;
  const body = first.map(
    ({ row, prompt, detectors }) =>
      html`<tr><td class="tries"><i class="label">Row </i>${figure(row)}</td><td>${detectors.map((each) => html`${pill(titleOf(each))} `)}</td>
<td class="text" dir="auto">${prompt === '' ? html`<span class="missing">not in the file</span>` : shortenedHtml(prompt, MAX_PROMPT_LENGTH)}</td></tr>`,
  );
  return panel('blocked', 'Blocked prompts', htmlTable(['Row', 'Detected by', 'Prompt'], body, cut), 'wide');
}
