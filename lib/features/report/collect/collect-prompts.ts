/** Collects the prompt sets and successful prompts of a custom scan. */

import { objectsOf } from '../../../core/json.ts';
import type { ShowProgress } from '../../../core/progress.ts';
import {
  type Attack,
  type AttackRow,
  type Findings,
  readAnswers,
  readAttack,
  readPromptSets,
  readProperties,
} from '../model.ts';
import { MAX_ATTACKS, notableAnswers, withDetails } from '../rank-attacks.ts';
import type { ReportSource } from './report-source.ts';

/** Names the list in notes about missing parts. */
export const PROMPTS_PART = 'The successful prompts';

/** Collects prompts, the most successful first, the first ones with the target's responses. */
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
    attacks: await withDetails(rows, promptOf, (row) => promptWithAnswers(row, jobId, source), progress),
    promptSets: readPromptSets(sets?.record.custom_attack_reports),
    properties: readProperties(sets?.record.property_statistics),
  };
}

export function promptOf({ prompt_set_name, asr, goal, prompt_text }: AttackRow): Attack {
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
  if (answer === undefined) return { ...promptOf(row), turns: [] };
  return { ...promptOf(row), ...notableAnswers(readAnswers(answer.records)) };
}
