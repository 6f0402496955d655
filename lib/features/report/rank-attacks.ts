/** Ranks successful attacks, and fetches details of the first ones. */
import type { JsonObject } from '../../engine/json.ts';
import type { Attack, Tries, Turn } from './model.ts';
import { textOf } from './page/format.ts';

/** Maximum attacks on a page. */
export const MAX_ATTACKS = 200;
/** Maximum attacks with details. */
export const MAX_CLOSE = 10;
/** Maximum responses or turns of one attack. */
const MAX_TURNS = 8;

export const SEVERITIES: readonly string[] = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/** Sorts by severity and success rate; attacks marked as safe come last. */
export function worstFirst<T extends Pick<Attack, 'severity' | 'asr' | 'markedSafe'>>(attacks: readonly T[]): T[] {
  const rank = ({ severity = '' }: T) => {
    const at = SEVERITIES.indexOf(severity.toUpperCase());
    return at < 0 ? SEVERITIES.length : at;
  };
  const safe = ({ markedSafe }: T) => Number(markedSafe);
  const rate = ({ asr = -1 }: T) => asr;
  return [...attacks].sort((a, b) => safe(a) - safe(b) || rank(a) - rank(b) || rate(b) - rate(a));
}

/**
 * Ranks attacks and fetches details of the first ones.
 * @param basic converts a row
 * @param detailed converts a row and fetches the target's responses
 */
export async function withDetails(
  rows: readonly JsonObject[],
  basic: (row: JsonObject) => Attack,
  detailed: (row: JsonObject) => Promise<Attack>,
  progress: (line: string) => void,
): Promise<readonly Attack[]> {
  const attacks: Attack[] = [];
  for (const { row, ...attack } of worstFirst(rows.map((each) => ({ ...basic(each), row: each })))) {
    const near = attacks.length < MAX_CLOSE;
    if (near) progress(`Attack ${attacks.length + 1} of ${Math.min(rows.length, MAX_CLOSE)}`);
    attacks.push(near ? await detailed(row) : attack);
  }
  return attacks;
}

/** Converts the responses of one attack to turns. @param title names a turn */
export function turnsOf(outputs: readonly JsonObject[], title: (output: JsonObject) => string | undefined): Turn[] {
  return outputs.slice(0, MAX_TURNS).map((output) => ({
    prompt: textOf(output['prompt']),
    output: textOf(output['output']),
    threat: output['threat'] === true,
    title: title(output),
    note: textOf(output['error_message']),
  }));
}

/** Selects responses to show: up to two different successful ones, otherwise the first. */
export function notableAnswers(outputs: readonly JsonObject[]): { turns: Turn[]; tries: Tries } {
  const threats = outputs.filter(({ threat }) => threat === true);
  const different = threats.filter(({ output }, at) => threats.findIndex((other) => other['output'] === output) === at);
  const shown = different.length === 0 ? outputs.slice(0, 1) : different.slice(0, 2);
  const total = outputs.filter(({ threat }) => typeof threat === 'boolean').length;
  return { turns: turnsOf(shown, () => undefined), tries: { hit: threats.length, total } };
}
