/** Ranks successful attacks, and fetches details of the first ones. */
import type { ShowProgress } from '../../core/progress.ts';
import { textOf } from '../../core/received.ts';
import type { Answer, Attack, Tries, Turn } from './report-data.ts';

export const MAX_ATTACKS = 200;
export const MAX_DETAILED = 10;
const MAX_TURNS = 8;

export const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;

/** Returns the rank of a severity, 0 for the worst; an unknown severity comes last. */
export function attackRank(severity: string): number {
  const at = (SEVERITIES as readonly string[]).indexOf(severity.toUpperCase());
  return at < 0 ? SEVERITIES.length : at;
}

/** Sorts by severity and success rate; attacks marked as safe come last. */
export function worstFirst<T extends Pick<Attack, 'severity' | 'asr' | 'markedSafe'>>(attacks: readonly T[]): T[] {
  const safe = ({ markedSafe }: T) => Number(markedSafe);
  const rank = ({ severity = '' }: T) => attackRank(severity);
  const rate = ({ asr = -1 }: T) => asr;
  return attacks.toSorted((a, b) => safe(a) - safe(b) || rank(a) - rank(b) || rate(b) - rate(a));
}

/**
 * Ranks attacks and fetches details of the first ones.
 * @param basic converts a row
 * @param detailed converts a row and fetches the target's responses
 */
export async function withDetails<Row>(
  rows: readonly Row[],
  basic: (row: Row) => Attack,
  detailed: (row: Row) => Promise<Attack>,
  progress: ShowProgress,
): Promise<readonly Attack[]> {
  const attacks: Attack[] = [];
  for (const { row, ...attack } of worstFirst(rows.map((each) => ({ ...basic(each), row: each })))) {
    const isDetailed = attacks.length < MAX_DETAILED;
    if (isDetailed) {
      const total = Math.min(rows.length, MAX_DETAILED);
      progress(`Attack ${attacks.length + 1} of ${total}`, { done: attacks.length, total });
    }
    attacks.push(isDetailed ? await detailed(row) : attack);
  }
  return attacks;
}

/** Converts the responses to one attack. @param title returns the title of a turn */
export function turnsOf(
  answers: readonly Partial<Answer>[],
  title: (answer: Partial<Answer>) => string | undefined,
): Turn[] {
  return answers.slice(0, MAX_TURNS).map((answer) => ({
    prompt: answer.prompt,
    output: textOf(answer.output),
    threat: answer.threat === true,
    title: title(answer),
    note: answer.error_message,
  }));
}

/** Selects responses to show: up to two different successful responses, otherwise the first response. */
export function notableAnswers(answers: readonly Partial<Answer>[]): { turns: Turn[]; tries: Tries } {
  const threats = answers.filter(({ threat }) => threat === true);
  const different = threats.filter(({ output }, at) => threats.findIndex((other) => other.output === output) === at);
  const shown = different.length === 0 ? answers.slice(0, 1) : different.slice(0, 2);
  const total = answers.filter(({ threat }) => typeof threat === 'boolean').length;
  return { turns: turnsOf(shown, () => undefined), tries: { hit: threats.length, total } };
}
