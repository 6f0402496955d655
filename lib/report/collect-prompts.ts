/** The prompt sets of a custom scan, and the prompts to which the target gave in. */
import { type JsonObject, objectsOf } from '../json.ts';
import type { Inquiry } from './inquiry.ts';
import type { Attack, ReportData } from './model.ts';
import { numberOf, textOf } from './words.ts';
import { lookedAt, MOST_ATTACKS, tellingAnswers } from './worst.ts';

/** The prompts that were most often successful first, those at the beginning with what the target answered. */
export async function customFindings(
  jobId: string,
  asked: Inquiry,
  progress: (line: string) => void,
): Promise<Pick<ReportData, 'attacks' | 'promptSets' | 'properties'>> {
  const of = { job_id: jobId };
  const sets = await asked.want('The prompt sets', 'aisec-redteam-custom-attack-report-get', of);
  const wanted = { ...of, threat: 'true', limit: String(MOST_ATTACKS) };
  const listed = await asked.want('The successful prompts', 'aisec-redteam-custom-attacks-list', wanted);
  const rows = objectsOf(listed?.record['attacks']);
  return {
    attacks: await lookedAt(rows, attackOf, (row) => closely(row, jobId, asked), progress),
    promptSets: objectsOf(sets?.record['custom_attack_reports']),
    properties: objectsOf(sets?.record['property_statistics']),
  };
}

function attackOf(row: JsonObject): Attack {
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

async function closely(row: JsonObject, jobId: string, asked: Inquiry): Promise<Attack> {
  const args = { job_id: jobId, attack_id: String(row['attack_id']) };
  const answer = await asked.want('The answers to a successful prompt', 'aisec-redteam-custom-attack-outputs', args);
  if (answer === undefined) return { ...attackOf(row), turns: [] };
  return { ...attackOf(row), ...tellingAnswers(answer.records) };
}
