/** Collects the goals of a dynamic scan and their streams. */
import { isObject, type JsonObject } from '../../../engine/json.ts';
import type { Attack, Goal } from '../model.ts';
import { numberOf, textOf } from '../page/format.ts';
import { MAX_CLOSE } from '../rank-attacks.ts';
import type { ReportSource } from './report-source.ts';

/** Names the list in notes about missing parts. */
export const GOALS_PART = 'The goals';

/** Maximum goals on a page. */
export const MAX_GOALS = 50;
/** Maximum goals whose streams are fetched. */
const MAX_WITH_STREAMS = 20;
const MAX_STREAMS = 100;

type Progress = (line: string) => void;

/** Collects goals, achieved ones first, and for the first of these the turn in which the target gave in. */
export async function dynamicFindings(
  jobId: string,
  source: ReportSource,
  progress: Progress,
): Promise<{ goals: readonly Goal[]; attacks: readonly Attack[] }> {
  const goals = await goalsOf(jobId, source, progress);
  const achieved = goals.filter(({ goal }) => goal['threat'] === true).slice(0, MAX_CLOSE);
  const attacks: Attack[] = [];
  for (const [index, each] of achieved.entries()) {
    progress(`Goal ${index + 1} of ${achieved.length}`);
    attacks.push(await breakthrough(each, source));
  }
  return { goals, attacks };
}

async function goalsOf(jobId: string, source: ReportSource, progress: Progress): Promise<readonly Goal[]> {
  const wanted = { job_id: jobId, limit: String(MAX_GOALS) };
  const listed = (await source.optional(GOALS_PART, 'aisec-redteam-report-goals-list', wanted))?.records ?? [];
  const achieved = (goal: JsonObject) => goal['threat'] === true;
  const ordered = [...listed.filter(achieved), ...listed.filter((goal) => !achieved(goal))];
  const goals: Goal[] = [];
  for (const goal of ordered) {
    const close = goals.length < MAX_WITH_STREAMS;
    if (close) progress(`Streams of goal ${goals.length + 1} of ${Math.min(ordered.length, MAX_WITH_STREAMS)}`);
    goals.push({ goal, streams: close ? await streamsOf(goal, jobId, source) : undefined });
  }
  return goals;
}

/** Fetches the streams of a goal; undefined if they cannot be read. */
export async function streamsOf({ uuid }: JsonObject, jobId: string, source: ReportSource) {
  const args = { job_id: jobId, goal_id: String(uuid), limit: String(MAX_STREAMS) };
  return (await source.optional('The streams of a goal', 'aisec-redteam-report-goal-streams-list', args))?.records;
}

/** Converts a goal without its streams. */
export function goalOf(goal: JsonObject): Attack {
  return {
    severity: undefined,
    where: [textOf(goal['goal_to_show']) ?? textOf(goal['goal'])].filter((part) => part !== undefined),
    unit: 'stream',
    asr: undefined,
    goal: undefined,
    prompt: undefined,
    markedSafe: false,
    turns: undefined,
    tries: undefined,
  };
}

/** Finds the shortest successful stream and the turn in which the target gave in. */
export async function breakthrough({ goal, streams = [] }: Goal, source: ReportSource): Promise<Attack> {
  const turns = (stream: JsonObject) => numberOf(stream['iteration']) ?? Number.POSITIVE_INFINITY;
  const [shortest] = streams.filter(({ threat }) => threat === true).sort((a, b) => turns(a) - turns(b));
  const ended = streams.filter(({ threat }) => typeof threat === 'boolean');
  const withThreat = ended.filter(({ threat }) => threat === true).length;
  const attack: Attack = {
    ...goalOf(goal),
    markedSafe: shortest?.['marked_safe'] === true,
    turns: [],
    tries: { hit: withThreat, total: ended.length },
  };
  if (shortest === undefined) return attack;
  const args = { stream_id: String(shortest['uuid']) };
  const answer = await source.optional('The turns of a stream', 'aisec-redteam-report-stream-get', args);
  const first = answer?.record['first_threat_iteration'];
  if (!isObject(first)) return attack;
  const technique = textOf(first['techniques']);
  const title = [`Turn ${String(first['iteration'] ?? '?')}`, technique]
    .filter((part) => part !== undefined)
    .join(': ');
  const turn = { prompt: textOf(first['prompt']), output: textOf(first['output']), threat: true, title };
  return { ...attack, turns: [{ ...turn, note: textOf(first['judge_reasoning']) }] };
}
