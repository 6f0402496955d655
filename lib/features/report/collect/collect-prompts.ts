/** Collects the prompt sets and successful prompts of a custom scan. */
import { type JsonObject, objectsOf } from '../../../engine/json.ts';
import type { Attack, ReportData } from '../model.ts';
import { numberOf, textOf } from '../page/format.ts';
import { MAX_ATTACKS, notableAnswers, withDetails } from '../rank-attacks.ts';
import type { ReportSource } from './report-source.ts';

/** Names the list in notes about missing parts. */
export const PROMPTS_PART = 'The successful prompts';

/** Collects prompts, the most successful first, the first ones with the target's responses. */
export async function customFindings(
  jobId: string,
  source: ReportSource,
  progress: (line: string) => void,
): Promise<Pick<ReportData, 'attacks' | 'promptSets' | 'properties'>> {
  const of = { job_id: jobId };
  const sets = await source.optional('The prompt sets', 'aisec-redteam-custom-attack-report-get', of);
  const wanted = { ...of, threat: 'true', limit: String(MAX_ATTACKS) };
  const listed = await source.optional(PROMPTS_PART, 'aisec-redteam-custom-attacks-list', wanted);
  const rows = objectsOf(listed?.record['attacks']);
  return {
    attacks: await withDetails(rows, promptOf, (row) => promptWithAnswers(row, jobId, source), progress),
    promptSets: objectsOf(sets?.record['custom_attack_reports']),
    properties: objectsOf(sets?.record['property_statistics']),
  };
}

/** Converts a row of the list of prompts. */
export function promptOf(row: JsonObject): Attack {
  return {
    severity: undefined,
    where: [textOf(row['prompt_set_name'])].filter((part) => part !== undefined),
    unit: 'attempt',
    asr: numberOf(row['asr']),
    goal: textOf(row['goal']),
    prompt: textOf(row['prompt_text']),
    markedSafe: false,
    turns: undefined,
    tries: undefined,
  };
}

/** Converts a row of the list of prompts, and fetches the target's responses. */
export async function promptWithAnswers(row: JsonObject, jobId: string, source: ReportSource): Promise<Attack> {
  const args = { job_id: jobId, attack_id: String(row['attack_id']) };
  const answer = await source.optional(
    'The answers to a successful prompt',
    'aisec-redteam-custom-attack-outputs',
    args,
  );
  if (answer === undefined) return { ...promptOf(row), turns: [] };
  return { ...promptOf(row), ...notableAnswers(answer.records) };
}
