/** The state of a red-team scan that is watched: its attacks by category, and the newest successful ones. */
import { AisecError, CancelledError } from '../../core/errors.ts';
import type { RunCommand } from '../../engine/run-command.ts';
import type { RedTeamScan } from '../commands.ts';
import { worded } from '../report/page/format.ts';
import { readTested, type Tested } from '../report/tested.ts';

/** Attacks of one category. */
export interface Category {
  readonly name: string;
  readonly judged: number;
  readonly successful: number;
}

export interface LiveScan {
  readonly job: RedTeamScan;
  readonly categories: readonly Category[];
  /** The newest come first. */
  readonly successes: readonly Tested[];
  /** Why the attacks are not known. */
  readonly unread?: string | undefined;
}

/** Reading the attacks takes at most this part of the time. */
const SHARE = 0.1;

/** Creates a function that adds the attacks to a scan; it reads them again when more are done. */
export function attackReader(ask: RunCommand, clock: { elapsed(): number }) {
  let known: Pick<LiveScan, 'categories' | 'successes' | 'unread'> = { categories: [], successes: [] };
  let readAt: RedTeamScan['completed'];
  let nextAt = Number.NEGATIVE_INFINITY;
  /** @param isLast the scan has ended @throws CancelledError */
  return async (job: RedTeamScan, isLast: boolean): Promise<LiveScan> => {
    const start = clock.elapsed();
    const isNew = job.completed !== readAt && (job.completed ?? 0) > 0;
    if (!isLast && !(isNew && start >= nextAt)) return { job, ...known };
    readAt = job.completed;
    try {
      const { tested } = await readTested(job, ask);
      known = { categories: categoriesOf(tested), successes: newestFirst(tested, known.successes) };
    } catch (thrown) {
      if (!(thrown instanceof AisecError) || thrown instanceof CancelledError) throw thrown;
      known = { ...known, unread: thrown.message };
    }
    const now = clock.elapsed();
    nextAt = now + (now - start) / SHARE;
    return { job, ...known };
  };
}

function categoriesOf(tested: readonly Tested[]): Category[] {
  const byName = new Map<string, Category>();
  for (const { where, outcome } of tested) {
    const name = worded(where[0] ?? 'Attacks');
    const { judged, successful } = byName.get(name) ?? { judged: 0, successful: 0 };
    byName.set(name, {
      name,
      judged: judged + (outcome === 'unanswered' ? 0 : 1),
      successful: successful + (outcome === 'successful' ? 1 : 0),
    });
  }
  return [...byName.values()].sort((a, b) => rateOf(b) - rateOf(a) || b.judged - a.judged);
}

function rateOf({ judged, successful }: Category): number {
  return judged === 0 ? 0 : successful / judged;
}

/** Puts attacks that were not there before first: the service gives no time of an attack. */
function newestFirst(tested: readonly Tested[], before: readonly Tested[]): Tested[] {
  const successful = new Map(tested.filter(({ outcome }) => outcome === 'successful').map((each) => [each.id, each]));
  const old = before.map(({ id }) => id);
  const added = [...successful.values()].filter(({ id }) => !old.includes(id)).reverse();
  return [...added, ...old.flatMap((id) => successful.get(id) ?? [])];
}
