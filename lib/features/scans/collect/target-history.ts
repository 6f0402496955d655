/** Finds the scans of a target: the results of all scans in order, and the latest two that can be compared. */

import { NotFoundError, PreconditionError, ServiceError, UsageError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import { anyOf, list, numberOf, object, textOf } from '../../../core/received.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { type Counted, isContradicted, scanInterval } from '../chance.ts';
import { type ArgumentsOf, type RedTeamScan, runCommand } from '../commands.ts';
import { timeOf } from '../format.ts';
import { partlyRun } from '../refusals.ts';
import type { ReportSource } from './report-source.ts';

/**
 * A scan with its attack success rate in percent (unless missing or contradicted), its risk score from 0 to 100, and
 * the time as the service sends it.
 */
export type HistoryPoint = Readonly<ReturnType<typeof pointOf>>;

export interface History {
  readonly target: string | undefined;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
  /** Number of the tenant's scans that were searched, if there may be more. */
  readonly searched: number | undefined;
}

/** Maximum number of the tenant's scans that are searched for the target. */
const MAX_SCANS = 500;
/** Keep the newest scans and the compared scans. */
const MAX_POINTS = 30;

/** Members of a scan in the service's list. */
const SCAN = {
  uuid: textOf,
  name: textOf,
  asr: numberOf,
  score: numberOf,
  completed: numberOf,
  total: numberOf,
  completed_at: textOf,
  created_at: textOf,
  time_record: object({ completed_at: textOf }),
  status: textOf,
  job_type: textOf,
  target_id: textOf,
  target_name: textOf,
  target: object({ uuid: textOf, name: textOf }),
  job_metadata: anyOf,
};
const readScan = object(SCAN);
export const readScans = list(SCAN);
export type ListedScan = ReturnType<typeof readScan>;

/**
 * Collects the completed scans of the given scans' targets, one history for each target. Leaves out scans of other
 * types, because their rates cannot be compared.
 * @param jobs of one type
 */
export async function historiesOf(jobs: readonly RedTeamScan[], source: ReportSource): Promise<readonly History[]> {
  const type = String(jobs[0]?.job_type) as ArgumentsOf<'aisec-redteam-scans-list'>['job_type'];
  const args = { job_type: type, status: 'COMPLETED', limit: MAX_SCANS } as const;
  const listed = await source.optional('The other scans of the target', 'aisec-redteam-scans-list', args);
  const scans = readScans(listed?.raw);
  const targets = [...new Set(jobs.map(({ target_id }) => textOf(target_id)))];
  return targets.map((target) => {
    const own = jobs.filter(({ target_id }) => textOf(target_id) === target);
    // A scan may be new, or beyond the end of the list.
    const all = [...own.map(readScan), ...scans.filter((scan) => (scan.target_id ?? scan.target.uuid) === target)];
    return {
      target: textOf(own[0]?.target_name),
      points: newest(
        byTime(all.map((scan) => pointOf(scan))),
        own.map(({ uuid }) => String(uuid)),
      ),
      searched: scans.length < MAX_SCANS ? undefined : MAX_SCANS,
    };
  });
}

/** Converts a scan to a point of a history. @param counted the counts in its report, if it was read */
export function pointOf(
  { uuid, name, score, completed_at, time_record, created_at, job_metadata, ...rated }: ListedScan,
  counted?: Counted,
) {
  const finishedAt = completed_at ?? time_record.completed_at ?? created_at;
  const isWrong = rated.asr !== undefined && isContradicted(rated.asr, counted);
  const rate = isWrong
    ? { asr: undefined, isWrong, interval: undefined }
    : { asr: rated.asr, isWrong, interval: scanInterval(rated) };
  // Rates of different attacks cannot be compared.
  const attacks = JSON.stringify([attackChoice(job_metadata), rated.total]);
  return { id: String(uuid), name, finishedAt, score, attacks, ...rate };
}

/** Scan settings that do not affect the choice of attacks. */
const PACE = /^(?:rate_limit|content_filter)/;

/** Returns the settings that choose a scan's attacks as a string, which does not depend on their order. */
export function attackChoice(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(attackChoice).sort().join()}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const names = Object.keys(value).filter((name) => !PACE.test(name));
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${attackChoice(value[name])}`)
    .join()}}`;
}

/** Returns the last points of a history that cover the same attacks; only these values are comparable. */
export function latestRun(points: readonly HistoryPoint[]): readonly HistoryPoint[] {
  const other = points.findLastIndex(({ attacks }) => attacks !== points.at(-1)?.attacks);
  return points.slice(other + 1);
}

/** Joins neighbouring values of the same attacks with a line; a missing value interrupts the line. */
export function pathOf(
  points: readonly { readonly x: number; readonly y: number | undefined; readonly attacks: string }[],
) {
  return points
    .flatMap(({ x, y, attacks }, at) => {
      if (y === undefined) return [];
      const before = points[at - 1];
      return `${before?.y !== undefined && before.attacks === attacks ? 'L' : 'M'} ${x} ${y}`;
    })
    .join(' ');
}

/** Sorts points by time, oldest first, with each scan once. */
export function byTime(points: readonly HistoryPoint[]): HistoryPoint[] {
  const unique = [...new Map(points.map((point) => [point.id, point])).values()];
  const at = ({ finishedAt }: HistoryPoint) => timeOf(finishedAt) ?? 0;
  return unique.sort((a, b) => at(a) - at(b));
}

function newest(points: readonly HistoryPoint[], ids: readonly string[]): HistoryPoint[] {
  const first = points.length - MAX_POINTS;
  return points.filter(({ id }, index) => index >= first || ids.includes(id));
}

/** A complete scan of a target; the time is as the service sends it. */
export interface LatestScan {
  readonly id: string;
  readonly name: string | undefined;
  readonly type: string;
  readonly finishedAt: string | undefined;
}

interface LatestScans {
  /** Name of the target, or its id. */
  readonly target: string;
  readonly before: LatestScan;
  readonly after: LatestScan;
  /** Newer complete scans without an earlier scan of their type. */
  readonly passedOver: readonly LatestScan[];
}

const MAX_CANDIDATES = 10;
const MIN_PREFIX_LENGTH = 4;

const readTargets = list({ uuid: textOf, name: textOf });

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Finds the newest scan of a target that has an earlier scan of the same type, and that earlier scan.
 * @param typed name of the target, its id, or at least four characters of the id
 * @throws NotFoundError for an unknown target; PreconditionError if several targets match, or if no two scans have the
 * same type; UsageError for the id of a scan; ServiceError for an incomplete list
 */
export async function latestScans(typed: string, run: RunCommand): Promise<LatestScans> {
  const listed = await runCommand(run, 'aisec-redteam-scans-list', { status: 'COMPLETED', limit: MAX_SCANS });
  if (listed.gap !== undefined) {
    throw new ServiceError(`The list of red-team scans is not complete: ${listed.gap}`, {
      hint: 'Run it again, or give the ids of two scans.',
    });
  }
  const all = readScans(listed.raw);
  const target = only(typed, fitting(typed, all.flatMap(targetOf))) ?? (await targetWithoutScan(typed, all, run));
  const own = all.filter((scan) => targetOf(scan).some(({ id }) => id === target.id) && partlyRun(scan) === undefined);
  const scans = own.map(latest).sort((one, other) => (timeOf(other.finishedAt) ?? 0) - (timeOf(one.finishedAt) ?? 0));
  const at = scans.findIndex(
    ({ type }, index) => scans.findIndex((each, from) => from > index && each.type === type) > 0,
  );
  const after = scans[at];
  const before = scans.slice(at + 1).find(({ type }) => type === after?.type);
  const name = target.name || target.id;
  if (after === undefined || before === undefined) throw tooFew(name, scans, all.length >= MAX_SCANS);
  return { target: name, before, after, passedOver: scans.slice(0, at) };
}

function targetOf({ target, target_id, target_name }: ListedScan): Named[] {
  const id = target.uuid ?? target_id;
  return id === undefined ? [] : [{ id, name: target.name ?? target_name ?? '' }];
}

function latest({ uuid, name, job_type, completed_at, created_at, time_record }: ListedScan): LatestScan {
  const finishedAt = completed_at ?? time_record.completed_at ?? created_at;
  return { id: String(uuid), name, type: String(job_type), finishedAt };
}

/** Finds the records that a typed word identifies: by id, by name, by name ignoring case, or by the start of the id. */
function fitting(typed: string, records: readonly Named[]): Named[] {
  const text = typed.trim().toLowerCase();
  const tests: readonly ((record: Named) => boolean)[] = [
    ({ id }) => id.toLowerCase() === text,
    ({ name }) => name === typed.trim(),
    ({ name }) => name.toLowerCase() === text,
    ({ id }) => text.length >= MIN_PREFIX_LENGTH && id.toLowerCase().startsWith(text),
  ];
  const unique = [...new Map(records.map((record) => [record.id, record])).values()];
  return tests.map((test) => unique.filter(test)).find(({ length }) => length > 0) ?? [];
}

function only(typed: string, found: readonly Named[]): Named | undefined {
  if (found.length < 2) return found[0];
  const shown = found.slice(0, MAX_CANDIDATES).map(({ id, name }) => `${id} (${name})`);
  const more = found.length > shown.length ? `, and ${found.length - shown.length} more` : '';
  throw new PreconditionError(`${found.length} targets fit "${typed.slice(0, 60)}".`, {
    hint: `Give the full id: ${shown.join(', ')}${more}.`,
  });
}

/** Finds a target that no complete scan names. @throws UsageError for a scan; NotFoundError for any other text */
async function targetWithoutScan(typed: string, scans: readonly ListedScan[], run: RunCommand): Promise<Named> {
  const ofScans = scans.flatMap(({ uuid, name = '' }) => (uuid === undefined ? [] : [{ id: uuid, name }]));
  if (fitting(typed, ofScans).length > 0) {
    throw new UsageError(`"${typed.slice(0, 60)}" is one red-team scan, and a comparison needs two.`, {
      hint: 'Usage: aisec compare TARGET | JOB_ID JOB_ID',
    });
  }
  const { raw } = await runCommand(run, 'aisec-redteam-targets-list', { limit: MAX_SCANS });
  const targets = readTargets(raw).flatMap(({ uuid, name = '' }) => (uuid === undefined ? [] : [{ id: uuid, name }]));
  const found = only(typed, fitting(typed, targets));
  if (found !== undefined) return found;
  throw new NotFoundError(`There is no red-team target "${typed.slice(0, 60)}".`, {
    hint: 'See the targets with: !aisec-redteam-targets-list',
  });
}

function tooFew(target: string, scans: readonly LatestScan[], isCut: boolean): PreconditionError {
  const types = scans.map(({ type }) => type).join(', ');
  const has =
    scans.length === 0
      ? 'no complete scan'
      : scans.length === 1
        ? `one complete scan (${scans[0]?.id}, ${types})`
        : `no two complete scans of one type (${types})`;
  const searched = isCut ? ` among the newest ${MAX_SCANS}` : '';
  return new PreconditionError(`The target ${target} has ${has}${searched}: there is nothing to compare.`, {
    hint: 'Start another scan with !aisec-redteam-scan-create, or give two scans; see them with: !aisec-redteam-scans-list',
  });
}
