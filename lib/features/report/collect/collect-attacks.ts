/** Collects the successful attacks of a static scan. */
import { type JsonObject, objectsOf } from '../../../engine/json.ts';
import type { Attack } from '../model.ts';
import { numberOf, textOf } from '../page/format.ts';
import { MAX_ATTACKS, notableAnswers, SEVERITIES, turnsOf, withDetails } from '../rank-attacks.ts';
import type { ReportSource } from './report-source.ts';

/** Names the list in notes about missing parts. */
export const ATTACKS_PART = 'The successful attacks';

const LIST = 'aisec-redteam-report-attacks-list';
const ONE = 'aisec-redteam-report-attack-get';
const CONVERSATION = 'aisec-redteam-report-attack-multi-turn-get';

/** Collects attacks, the worst first, the first ones with the target's responses. */
export async function staticFindings(
  jobId: string,
  source: ReportSource,
  progress: (line: string) => void,
): Promise<readonly Attack[]> {
  const rows = await successful(jobId, source);
  return withDetails(rows, attackOf, (row) => attackWithAnswers(row, jobId, source), progress);
}

/** Lists successful attacks. The service does not sort by severity, so a list that does not fit is fetched by severity. */
async function successful(jobId: string, source: ReportSource): Promise<readonly JsonObject[]> {
  const some = async (more: Readonly<Record<string, string>>) => {
    const args = { job_id: jobId, threat: 'true', ...more };
    return (await source.optional(ATTACKS_PART, LIST, args))?.records ?? [];
  };
  const first = await some({ limit: String(MAX_ATTACKS) });
  if (first.length < MAX_ATTACKS) return first;
  const worst: JsonObject[] = [];
  for (const severity of SEVERITIES) {
    if (worst.length < MAX_ATTACKS) {
      for (const row of await some({ severity, limit: String(MAX_ATTACKS - worst.length) })) worst.push(row);
    }
  }
  return worst.length === 0 ? first : worst;
}

/** Converts a row of the list of attacks. */
export function attackOf(row: JsonObject): Attack {
  const category = textOf(row['category_display_name']) ?? textOf(row['category']);
  const subCategory = textOf(row['sub_category_display_name']) ?? textOf(row['sub_category']);
  return {
    severity: textOf(row['severity']),
    where: [category, subCategory].filter((part) => part !== undefined),
    unit: row['multi_turn'] === true ? 'conversation' : 'attempt',
    asr: numberOf(row['asr']),
    goal: textOf(row['goal']),
    prompt: textOf(row['prompt']),
    markedSafe: row['marked_safe'] === true,
    turns: undefined,
    tries: undefined,
  };
}

/** Converts a row of the list of attacks, and fetches the target's responses. */
export async function attackWithAnswers(row: JsonObject, jobId: string, source: ReportSource): Promise<Attack> {
  const command = row['multi_turn'] === true ? CONVERSATION : ONE;
  const args = { job_id: jobId, attack_id: String(row['uuid']) };
  const answer = await source.optional('The answers to a successful attack', command, args);
  if (answer === undefined) return { ...attackOf(row), turns: [] };
  return { ...attackOf({ ...row, ...answer.record }), ...answersIn(answer.record['outputs']) };
}

/** Reads responses: a single-turn attack has a list of them, a multi-turn attack conversations, nested or flat. */
function answersIn(outputs: unknown): Pick<Attack, 'turns' | 'tries'> {
  const list: readonly unknown[] = Array.isArray(outputs) ? outputs : [];
  const turns = objectsOf(list.some(Array.isArray) ? list.flat() : list);
  if (!turns.some((turn) => numberOf(turn['turn']) !== undefined)) return notableAnswers(turns);
  const numbers = [...new Set(turns.map(({ generation }) => generation))];
  const conversations = numbers.map((number) => turns.filter(({ generation }) => generation === number));
  const hit = conversations.filter(gaveIn);
  const shown = hit[0] ?? conversations[0] ?? [];
  const tries = { hit: hit.length, total: conversations.filter(isJudged).length };
  return { turns: turnsOf(shown, ({ turn }) => `Turn ${String(turn)}`), tries };
}

function gaveIn(turns: readonly JsonObject[]): boolean {
  return turns.some(({ threat }) => threat === true);
}

function isJudged(turns: readonly JsonObject[]): boolean {
  return turns.some(({ threat }) => typeof threat === 'boolean');
}
