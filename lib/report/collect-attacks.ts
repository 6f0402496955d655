/** The successful attacks of a static scan. */
import { type JsonObject, objectsOf } from '../json.ts';
import type { Inquiry } from './inquiry.ts';
import type { Attack } from './model.ts';
import { numberOf, textOf } from './words.ts';
import { lookedAt, MOST_ATTACKS, SEVERITIES, tellingAnswers, turnsOf } from './worst.ts';

const LIST = 'aisec-redteam-report-attacks-list';
const ONE = 'aisec-redteam-report-attack-get';
const CONVERSATION = 'aisec-redteam-report-attack-multi-turn-get';

/** The worst first, those at the beginning with what the target answered. */
export async function staticFindings(
  jobId: string,
  asked: Inquiry,
  progress: (line: string) => void,
): Promise<readonly Attack[]> {
  const rows = await successful(jobId, asked);
  return lookedAt(rows, attackOf, (row) => closely(row, jobId, asked), progress);
}

/** The list has an order of its own: where it is longer than what fits, the worst are asked for by severity. */
async function successful(jobId: string, asked: Inquiry): Promise<readonly JsonObject[]> {
  const some = async (more: Readonly<Record<string, string>>) => {
    const args = { job_id: jobId, threat: 'true', ...more };
    return (await asked.want('The successful attacks', LIST, args))?.records ?? [];
  };
  const first = await some({ limit: String(MOST_ATTACKS) });
  if (first.length < MOST_ATTACKS) return first;
  const worst: JsonObject[] = [];
  for (const severity of SEVERITIES) {
    if (worst.length < MOST_ATTACKS) {
      for (const row of await some({ severity, limit: String(MOST_ATTACKS - worst.length) })) worst.push(row);
    }
  }
  return worst.length === 0 ? first : worst;
}

function attackOf(row: JsonObject): Attack {
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

async function closely(row: JsonObject, jobId: string, asked: Inquiry): Promise<Attack> {
  const command = row['multi_turn'] === true ? CONVERSATION : ONE;
  const args = { job_id: jobId, attack_id: String(row['uuid']) };
  const answer = await asked.want('The answers to a successful attack', command, args);
  if (answer === undefined) return { ...attackOf(row), turns: [] };
  return { ...attackOf({ ...row, ...answer.record }), ...answersIn(answer.record['outputs']) };
}

/** An attack of one turn has a list of answers; one of several has a list of conversations, or all of their turns in one. */
function answersIn(outputs: unknown): Pick<Attack, 'turns' | 'tries'> {
  const list: readonly unknown[] = Array.isArray(outputs) ? outputs : [];
  const turns = objectsOf(list.some(Array.isArray) ? list.flat() : list);
  if (!turns.some((turn) => numberOf(turn['turn']) !== undefined)) return tellingAnswers(turns);
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
