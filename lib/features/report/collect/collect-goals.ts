/** Collects the goals of a dynamic scan and their streams. */
import { isObject } from '../../../core/json.ts';
import type { ShowProgress } from '../../../core/progress.ts';
import { numberOf, object, textOf } from '../../../core/received.ts';
import type { Attack, Goal } from '../model.ts';
import { MAX_DETAILED } from '../rank-attacks.ts';
import type { ReportSource } from './report-source.ts';

/** Names the list in notes about missing parts. */
export const GOALS_PART = 'The goals';

export const MAX_GOALS = 50;
const MAX_WITH_STREAMS = 20;
const MAX_STREAMS = 100;

/** Collects goals, achieved ones first, and for the first of these the turn in which the target gave in. */
export async function dynamicFindings(
  jobId: string,
  source: ReportSource,
  progress: ShowProgress,
): Promise<{ goals: readonly Goal[]; attacks: readonly Attack[] }> {
  const goals = await goalsOf(jobId, source, progress);
  const achieved = goals.filter(({ goal }) => goal.threat === true).slice(0, MAX_DETAILED);
  const attacks: Attack[] = [];
  for (const [index, each] of achieved.entries()) {
    progress(`Goal ${index + 1} of ${achieved.length}`, { done: index, total: achieved.length });
    attacks.push(await breakthrough(each, source));
  }
  return { goals, attacks };
}

async function goalsOf(jobId: string, source: ReportSource, progress: ShowProgress): Promise<readonly Goal[]> {
  const args = { job_id: jobId, limit: MAX_GOALS };
  const listed = (await source.optional(GOALS_PART, 'aisec-redteam-report-goals-list', args))?.records ?? [];
  const achievedFirst = listed.toSorted((a, b) => Number(b.threat === true) - Number(a.threat === true));
  const goals: Goal[] = [];
  for (const goal of achievedFirst) {
    const hasStreams = goals.length < MAX_WITH_STREAMS;
    const total = Math.min(listed.length, MAX_WITH_STREAMS);
    if (hasStreams) progress(`Streams of goal ${goals.length + 1} of ${total}`, { done: goals.length, total });
    goals.push({ goal, streams: hasStreams ? await streamsOf(goal, jobId, source) : undefined });
  }
  return goals;
}

/** Fetches the streams of a goal; undefined if they cannot be read. */
export async function streamsOf({ uuid }: Goal['goal'], jobId: string, source: ReportSource) {
  const args = { job_id: jobId, goal_id: String(uuid), limit: MAX_STREAMS };
  return (await source.optional('The streams of a goal', 'aisec-redteam-report-goal-streams-list', args))?.records;
}

export function goalOf({ goal, goal_to_show }: Goal['goal']): Attack {
  const text = textOf(goal_to_show) ?? textOf(goal);
  return { where: text === undefined ? [] : [text], unit: 'stream', markedSafe: false };
}

const readTurn = object({
  iteration: (value: unknown) => String(value ?? '?'),
  techniques: textOf,
  prompt: textOf,
  output: textOf,
  judge_reasoning: textOf,
});

/** Finds the shortest successful stream and the turn in which the target gave in. */
export async function breakthrough({ goal, streams = [] }: Goal, source: ReportSource): Promise<Attack> {
  const turnsIn = ({ iteration }: (typeof streams)[number]) => numberOf(iteration) ?? Number.POSITIVE_INFINITY;
  const successful = streams.filter(({ threat }) => threat === true).sort((a, b) => turnsIn(a) - turnsIn(b));
  const judged = streams.filter(({ threat }) => typeof threat === 'boolean');
  const [shortest] = successful;
  const attack: Attack = {
    ...goalOf(goal),
    markedSafe: shortest?.marked_safe === true,
    turns: [],
    tries: { hit: successful.length, total: judged.length },
  };
  if (shortest === undefined) return attack;
  const args = { stream_id: String(shortest.uuid) };
  const answer = await source.optional('The turns of a stream', 'aisec-redteam-report-stream-get', args);
  const first = answer?.record.first_threat_iteration;
  if (!isObject(first)) return attack;
  const { iteration, techniques, prompt, output, judge_reasoning: note } = readTurn(first);
  const title = `Turn ${iteration}${techniques === undefined ? '' : `: ${techniques}`}`;
  return { ...attack, turns: [{ prompt, output, threat: true, title, note }] };
}
