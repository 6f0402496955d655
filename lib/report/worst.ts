/** Which successful attacks come first, and how many are looked at. */
import type { JsonObject } from '../json.ts';
import type { Attack, Tries, Turn } from './model.ts';
import { numberOf, textOf } from './words.ts';

/** Successful attacks on a page. */
export const MOST_ATTACKS = 200;
/** Attacks with their answers. */
export const MOST_CLOSE = 10;
/** Answers, or turns, of one attack. */
const MOST_TURNS = 8;

export const SEVERITIES: readonly string[] = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/** From the worst: severe, often successful, and not marked as safe by somebody who has looked. */
function worstFirst(rows: readonly JsonObject[]): JsonObject[] {
  const rank = (row: JsonObject) => {
    const at = SEVERITIES.indexOf(String(row['severity']).toUpperCase());
    return at < 0 ? SEVERITIES.length : at;
  };
  const safe = (row: JsonObject) => Number(row['marked_safe'] === true);
  const rate = (row: JsonObject) => numberOf(row['asr']) ?? -1;
  return [...rows].sort((a, b) => safe(a) - safe(b) || rank(a) - rank(b) || rate(b) - rate(a));
}

/**
 * Successful attacks from the worst, those at the beginning looked at closely.
 * @param far an attack out of its row
 * @param closely the same with what the target answered
 */
export async function lookedAt(
  rows: readonly JsonObject[],
  far: (row: JsonObject) => Attack,
  closely: (row: JsonObject) => Promise<Attack>,
  progress: (line: string) => void,
): Promise<readonly Attack[]> {
  const attacks: Attack[] = [];
  for (const row of worstFirst(rows)) {
    const near = attacks.length < MOST_CLOSE;
    if (near) progress(`Attack ${attacks.length + 1} of ${Math.min(rows.length, MOST_CLOSE)}`);
    attacks.push(near ? await closely(row) : far(row));
  }
  return attacks;
}

/** Answers of the target, as the service has them for one attack. @param titles what each is called */
export function turnsOf(outputs: readonly JsonObject[], title: (output: JsonObject) => string | undefined): Turn[] {
  return outputs.slice(0, MOST_TURNS).map((output) => ({
    prompt: textOf(output['prompt']),
    output: textOf(output['output']),
    threat: output['threat'] === true,
    title: title(output),
    remark: textOf(output['error_message']),
  }));
}

/** The answers to one prompt that are worth seeing: two different ones in which the target gave in; where none is marked, the first. */
export function tellingAnswers(outputs: readonly JsonObject[]): { turns: Turn[]; tries: Tries } {
  const threats = outputs.filter(({ threat }) => threat === true);
  const different = threats.filter(({ output }, at) => threats.findIndex((other) => other['output'] === output) === at);
  const shown = different.length === 0 ? outputs.slice(0, 1) : different.slice(0, 2);
  const total = outputs.filter(({ threat }) => typeof threat === 'boolean').length;
  return { turns: turnsOf(shown, () => undefined), tries: { hit: threats.length, total } };
}
