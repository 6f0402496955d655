/** Finds the latest two complete red-team scans of a target. */
import { NotFoundError, PreconditionError, ServiceError, UsageError } from '../../../core/errors.ts';
import { list, object, textOf } from '../../../core/received.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { runCommand } from '../../commands.ts';
import { timeOf } from '../page/format.ts';
import { partlyRun } from '../refusals.ts';
import { SCAN } from './target-history.ts';

/** A complete scan of a target; the time is as the service sends it. */
export interface LatestScan {
  readonly id: string;
  readonly name: string | undefined;
  readonly type: string;
  readonly finishedAt: string | undefined;
}

export interface LatestScans {
  /** Name of the target, or its id. */
  readonly target: string;
  readonly before: LatestScan;
  readonly after: LatestScan;
  /** Newer complete scans without an earlier scan of their type. */
  readonly passedOver: readonly LatestScan[];
}

const MAX_SCANS = 500;
const MAX_CANDIDATES = 10;
const MIN_PREFIX_LENGTH = 4;

const readScans = list({
  ...SCAN,
  job_type: textOf,
  target_name: textOf,
  target: object({ uuid: textOf, name: textOf }),
});
type Scan = ReturnType<typeof readScans>[number];

const readTargets = list({ uuid: textOf, name: textOf });

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Finds the newest scan of a target that has an earlier one of its type, and that earlier one.
 * @param typed name of the target, its id, or at least four characters of the id
 * @throws NotFoundError for an unknown target; PreconditionError if several targets fit, or without two scans of one
 * type; UsageError for the id of a scan; ServiceError for an incomplete list
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

function targetOf({ target, target_id, target_name }: Scan): Named[] {
  const id = target.uuid ?? target_id;
  return id === undefined ? [] : [{ id, name: target.name ?? target_name ?? '' }];
}

function latest({ uuid, name, job_type, completed_at, created_at, time_record }: Scan): LatestScan {
  const finishedAt = completed_at ?? time_record.completed_at ?? created_at;
  return { id: String(uuid), name, type: String(job_type), finishedAt };
}

/** Finds the records that a text means: by id, by name, by a name in other letters, or by the start of the id. */
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
async function targetWithoutScan(typed: string, scans: readonly Scan[], run: RunCommand): Promise<Named> {
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
