/** Collects the successful attacks of a static scan. */

import type { ShowProgress } from '../../../core/progress.ts';
import { numberOf, textOf } from '../../../core/received.ts';
import type { ArgumentsOf, RecordOf } from '../../commands.ts';
import { type Attack, type AttackRow, readAnswers } from '../model.ts';
import { MAX_ATTACKS, notableAnswers, SEVERITIES, turnsOf, withDetails } from '../rank-attacks.ts';
import type { ReportSource } from './report-source.ts';

/** Names the list in notes about missing parts. */
export const ATTACKS_PART = 'The successful attacks';

const LIST = 'aisec-redteam-report-attacks-list';

type StaticAttack = RecordOf<'aisec-redteam-report-attack-get'> | AttackRow;

/** Collects attacks, the worst first, the first ones with the target's responses. */
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

/** Reads responses: a single-turn attack has a list of them, a multi-turn attack conversations, nested or flat. */
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
