/** Describes a result in one line, for lists of results. */
import { isObject } from '../../core/json.ts';
import { grouped, plural, titleInSentence } from '../../core/text/numbers.ts';
import { detectorName } from '../output/detectors.ts';
import { headlineIn } from '../output/headline.ts';
import type { Table } from '../output/readable.ts';
import type { Result, Tally } from '../output/result.ts';
import { stateWord } from './printed.ts';

const MAX_LENGTH = 200;
/** Fields that name a record. */
const NAME = /(?:^|_)name$|^message$/;

/** What a list of results shows of one. */
export interface Glance {
  /** The record's verdict or state in its own words, such as `block`, `BLOCKED` or `QUEUED`; null without one. */
  readonly verdict: string | null;
  readonly summary: string;
  /** Number of records in a list; null for anything else. */
  readonly count: number | null;
}

/** Describes a result. */
export function glanceOf(result: Result): Glance {
  const { failure, verdict } = result;
  const found = seenIn(result);
  const own = typeof verdict === 'string' ? verdict : null;
  return {
    verdict: found.verdict ?? own,
    summary: oneLine(failure === undefined ? found.summary : failure.message),
    count: found.count,
  };
}

function seenIn(result: Result): Glance {
  const { readable, planned, tally, truncated, failure } = result;
  const { title, tables } = readable;
  const [table] = tables;
  const plain = (summary: string) => ({ verdict: null, summary, count: null });
  if (planned) return plain(plannedIn(table, title));
  if (tally !== undefined) return plain(talliedIn(tally));
  if (table?.of === undefined) return plain(title);
  if (table.of.many) return countedIn(title, table.rows.length, truncated);
  const headline = headlineIn(table, table.of);
  if (headline === undefined) return plain(namedIn(table, title));
  const { isVerdict, first, others } = headline;
  const words = [isVerdict ? first.toUpperCase() : stateWord(first), ...others].join(' ');
  const reasons = isVerdict ? detectedIn(result.writes[0]?.value) : [];
  const summary = reasons.length === 0 ? words : `${words}: ${reasons.join(', ')}`;
  // After a failure, the state may be old.
  return { ...plain(summary), verdict: isVerdict || failure === undefined ? first : null };
}

/** The detectors that found something in the prompt or the response of a scan. */
function detectedIn(record: unknown): readonly string[] {
  const members = isObject(record) ? Object.entries(record) : [];
  const flags = members.flatMap(([name, value]) => (/_detected$/.test(name) && isObject(value) ? [value] : []));
  const names = flags.flatMap((each) => Object.keys(each).filter((name) => each[name] === true));
  return [...new Set(names.map(detectorName))];
}

/** The request that a dry run did not send. */
function plannedIn(table: Table | undefined, title: string): string {
  const [method = '', url = ''] = table?.rows.map(([, text]) => text) ?? [];
  return url === '' ? title : `Dry run: ${method} ${url}`;
}

function talliedIn({ total, noun, outcomes }: Tally): string {
  const counts = outcomes.map(([name, count]) => `${name} ${grouped(count)}`);
  return `${plural(total, noun)}: ${counts.join(', ')}`;
}

function countedIn(title: string, count: number, truncated: Result['truncated']): Glance {
  const [noun = ''] = titleInSentence(title, count).split(' of ');
  if (count === 0) return { verdict: null, summary: `No ${titleInSentence(title, 0)}`, count };
  const total = truncated?.total ?? null;
  const known = total === null || total <= count ? '' : ` of ${grouped(total)}`;
  const more = truncated !== undefined && known === '' ? '+' : '';
  return { verdict: null, summary: `${grouped(count)}${more}${known} ${noun}`, count };
}

/** The title of a record, and its name or message. */
function namedIn({ rows, of }: Table, title: string): string {
  const names = of?.fields.map(([name]) => name) ?? [];
  const at = names.map((name) => NAME.test(name)).indexOf(true);
  const text = rows[Math.max(0, at)]?.[1] ?? '';
  return text === '' ? title : `${title}: ${text}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_LENGTH) return line;
  // Half a surrogate pair would be shown as a separate character.
  return `${line.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}
