import { NetworkError } from '../../../lib/core/errors.ts';
import { createGuard, type Guard, type GuardOptions, type Scanner } from '../../../lib/guard/guard.ts';

/** One scan that the scripted service received. */
export interface Asked {
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Scripted {
  readonly guard: Guard;
  readonly asked: Asked[];
  readonly scanner: Scanner;
}

/** The default message of a guard. */
export const MESSAGE = 'This content was blocked by a security policy.';
export const CARD = 'Card 4111 1111 1111 1111';
export const MASKED = 'Card XXXX XXXX XXXX XXXX';
/** Several windows of a stream. */
export const LONG = 'word '.repeat(200);

const NUMBER = /\d{4} \d{4} \d{4} \d{4}/gu;

/** Answers like the service: a text with `BAD` is blocked, a card number is masked, and a detector times out on `SLOW`. */
export function verdictOf(
  text: string,
  kind: 'prompt' | 'response',
  mask: string | ((card: string) => string) = (card) => card.replace(/\d/gu, 'X'),
): Readonly<Record<string, unknown>> {
  const isBad = text.includes('BAD');
  const masked = text.replace(NUMBER, typeof mask === 'string' ? () => mask : mask);
  const hasLeak = masked !== text;
  return {
    action: isBad || hasLeak ? 'block' : 'allow',
    category: isBad || hasLeak ? 'malicious' : 'benign',
    profile_name: 'prod',
    scan_id: 'scan-1',
    report_id: 'report-1',
    timeout: text.includes('SLOW'),
    error: false,
    [`${kind}_detected`]: { injection: isBad, dlp: hasLeak },
    ...(hasLeak ? { [`${kind}_masked_data`]: { data: masked } } : {}),
  };
}

/** Creates a guard over a service that follows a rule. @param answer throws, or returns the service's response */
export function scripted(
  options: Partial<GuardOptions> = {},
  answer: (text: string, kind: 'prompt' | 'response') => unknown = verdictOf,
): Scripted {
  const asked: Asked[] = [];
  const scanner: Scanner = {
    call: async (command, args, { signal }) => {
      const kind = args['response'] === undefined ? 'prompt' : 'response';
      const text = String(args[kind] ?? JSON.stringify(args['tool_event']));
      asked.push({ args, text });
      await Promise.resolve();
      if (signal?.aborted === true) throw new NetworkError('stopped');
      const raw = answer(text, kind);
      return { command, outputs: {}, readable: '', raw, notes: [], files: [], simulated: true, planned: false };
    },
  };
  return { guard: createGuard(scanner, { profile: 'prod', ...options }), asked, scanner };
}
