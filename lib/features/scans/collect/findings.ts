/**
 * Collects the findings of a scan: successful attacks (static), goals and their streams (dynamic), or prompts (custom).
 */

import { isObject, objectsOf } from '../../../core/json.ts';
import type { ShowProgress } from '../../../core/progress.ts';
import { numberOf, object, textOf } from '../../../core/received.ts';
import type { ArgumentsOf, RecordOf } from '../commands.ts';
import { MAX_ATTACKS, MAX_DETAILED, notableAnswers, SEVERITIES, turnsOf, withDetails } from '../rank-attacks.ts';
import {
  type Attack,
  type AttackRow,
  type Findings,
  type Goal,
  readAnswers,
  readAttack,
  readPromptSets,
  readProperties,
} from '../report-data.ts';
import type { ReportSource } from './report-source.ts';

/** Names the list in notes about missing parts. */
export const ATTACKS_PART = 'The successful attacks';

const LIST = 'aisec-redteam-report-attacks-list';

type StaticAttack = RecordOf<'aisec-redteam-report-attack-get'> | AttackRow;

/** Collects attacks, worst first, and the target's responses for the first of them. */
export async function staticFindings(
  jobId: string,
  source: ReportSource,
  progress: ShowProgress,
): Promise<readonly Attack[]> {
  const rows = await successful(jobId, source);
  return withDetails(rows, attackOf, (row) => attackWithAnswers(row, jobId, source), progress);
}

/** Lists successful attacks. The service does not sort by severity, so a list that does not fit is fetched by severity. */
async function successful(jobId: string, source: ReportSource) {
  const some = async (more: Pick<ArgumentsOf<typeof LIST>, 'severity' | 'limit'>) =>
    (await source.optional(ATTACKS_PART, LIST, { job_id: jobId, threat: true, ...more }))?.records ?? [];
  const first = await some({ limit: MAX_ATTACKS });
  if (first.length < MAX_ATTACKS) return first;
  const worst: RecordOf<typeof LIST>[] = [];
  for (const severity of SEVERITIES) {
    if (worst.length === MAX_ATTACKS) break;
    for (const row of await some({ severity, limit: MAX_ATTACKS - worst.length })) worst.push(row);
  }
  return worst.length === 0 ? first : worst;
}

export function attackOf(row: StaticAttack): Attack {
  const category = textOf(row.category_display_name) ?? textOf(row.category);
  const subCategory = textOf(row.sub_category_display_name) ?? textOf(row.sub_category);
  return {
    severity: textOf(row.severity),
    where: [category, subCategory].filter((part) => part !== undefined),
    unit: row.multi_turn === true ? 'conversation' : 'attempt',
    asr: numberOf(row.asr),
    goal: textOf(row.goal),
    prompt: textOf(row.prompt),
    markedSafe: row.marked_safe === true,
  };
}

/** Converts a row of the list of attacks, and fetches the target's responses. */
export async function attackWithAnswers(row: StaticAttack, jobId: string, source: ReportSource): Promise<Attack> {
  const command =
    row.multi_turn === true ? 'aisec-redteam-report-attack-multi-turn-get' : 'aisec-redteam-report-attack-get';
  const args = { job_id: jobId, attack_id: String(row.uuid) };
  const answer = await source.optional('The answers to a successful attack', command, args);
  if (answer === undefined) return { ...attackOf(row), turns: [] };
  return { ...attackOf({ ...row, ...answer.record }), ...turnsIn(answer.record.outputs ?? []) };
}

/**
 * Reads responses: a single-turn attack has a list of responses, a multi-turn attack has conversations, nested or flat.
 */
function turnsIn(outputs: readonly unknown[]): Pick<Attack, 'turns' | 'tries'> {
  const answers = readAnswers(outputs.some(Array.isArray) ? outputs.flat() : outputs);
  if (!answers.some(({ turn }) => turn !== undefined)) return notableAnswers(answers);
  const numbers = [...new Set(answers.map(({ generation }) => generation))];
  const conversations = numbers.map((number) => answers.filter(({ generation }) => generation === number));
  const hit = conversations.filter((turns) => turns.some(({ threat }) => threat === true));
  const judged = conversations.filter((turns) => turns.some(({ threat }) => threat !== undefined));
  const shown = hit[0] ?? conversations[0] ?? [];
  return {
    turns: turnsOf(shown, ({ turn }) => `Turn ${String(turn)}`),
    tries: { hit: hit.length, total: judged.length },
  };
}

/** Names the list in notes about missing parts. */
export const GOALS_PART = 'The goals';

export const MAX_GOALS = 50;
const MAX_WITH_STREAMS = 20;
const MAX_STREAMS = 100;

/** Collects goals, achieved goals first, and for the first of these the turn in which the target gave in. */
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

/** Names the list in notes about missing parts. */
export const PROMPTS_PART = 'The successful prompts';

/** Collects prompts, most successful first, and the target's responses for the first of them. */
export async function customFindings(
  jobId: string,
  source: ReportSource,
  progress: ShowProgress,
): Promise<Pick<Findings, 'attacks' | 'promptSets' | 'properties'>> {
  const of = { job_id: jobId };
  const sets = await source.optional('The prompt sets', 'aisec-redteam-custom-attack-report-get', of);
  const args = { ...of, threat: true, limit: MAX_ATTACKS };
  const listed = await source.optional(PROMPTS_PART, 'aisec-redteam-custom-attacks-list', args);
  const rows = objectsOf(listed?.record.attacks).map(readAttack);
  return {
    attacks: await withDetails(rows, sentPrompt, (row) => promptWithAnswers(row, jobId, source), progress),
    promptSets: readPromptSets(sets?.record.custom_attack_reports),
    properties: readProperties(sets?.record.property_statistics),
  };
}

export function sentPrompt({ prompt_set_name, asr, goal, prompt_text }: AttackRow): Attack {
  const where = prompt_set_name === undefined ? [] : [prompt_set_name];
  return { where, unit: 'attempt', asr, goal, prompt: prompt_text, markedSafe: false };
}

/** Converts a row of the list of prompts, and fetches the target's responses. */
export async function promptWithAnswers(row: AttackRow, jobId: string, source: ReportSource): Promise<Attack> {
  const args = { job_id: jobId, attack_id: String(row.attack_id) };
  const answer = await source.optional(
    'The answers to a successful prompt',
    'aisec-redteam-custom-attack-outputs',
    args,
  );
  if (answer === undefined) return { ...sentPrompt(row), turns: [] };
  return { ...sentPrompt(row), ...notableAnswers(readAnswers(answer.records)) };
}
