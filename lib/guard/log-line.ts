/** Says a decision as a line for a log. It has names, numbers and ids of the service; no text, no session and no user. */
import { present } from '../core/json.ts';
import type { Decision } from './types.ts';

/** A line for any logger, such as `logger[level](fields, message)`. */
export interface DecisionLine {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

const NOUNS = { input: 'an input', output: 'an output', tool: 'a call of a tool' } as const;
const VERBS = { allow: 'allowed', block: 'blocked', mask: 'masked' } as const;

/**
 * Returns the line of a decision: `warn` where no complete verdict exists, `info` for a block or a mask, else `debug`. A
 * scan that its caller cancelled is `debug`: readers who leave must not hide what needs attention.
 * Use it as `onDecision: (decision) => write(decisionLine(decision))`.
 */
export function decisionLine(decision: Decision): DecisionLine {
  const { kind, action, verdict, unscanned, scanId, reportId, ms, cached } = decision;
  const { category, profile = decision.profile, detectors } = verdict ?? {};
  const how = unscanned === undefined ? '' : ` without a complete verdict: ${unscanned}`;
  return {
    level: levelOf(decision),
    message: `The guard ${VERBS[action]} ${NOUNS[kind]}${how}.`,
    fields: { kind, action, ...present({ unscanned, category, profile, detectors, scanId, reportId }), ms, cached },
  };
}

function levelOf({ action, unscanned }: Decision): DecisionLine['level'] {
  if (unscanned === 'cancelled') return 'debug';
  if (unscanned !== undefined) return 'warn';
  return action === 'allow' ? 'debug' : 'info';
}
