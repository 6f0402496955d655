/** Describes decisions and the causes in `types.ts` in words, for users and for logs. */

import { present } from '../core/json.ts';
import type { Cause, Decision, Scanner } from './types.ts';

const WORDS: Readonly<Record<Cause, string>> = {
  authentication: 'the credentials are not accepted, or the certificate of the service is not trusted',
  permission: 'the credentials may not scan',
  profile: 'the security profile cannot be used',
  usage: 'the scan request is invalid',
  quota: 'the quota is used up',
  'rate-limit': 'there are too many requests',
  timeout: 'the scan took too long',
  network: 'the service cannot be reached',
  service: 'the service failed',
  incomplete: 'a detector failed or took too long',
  'unknown-action': 'the service named no action that this version knows',
  malformed: 'the answer of the service has no verdict that this version can read',
  unreadable: 'the content cannot be read as its reader would',
  cancelled: 'the scan was cancelled',
};

/** Returns a cause in words: part of a sentence. @param profile the profile that cannot be used */
export function causeText(cause: Cause, profile?: string): string {
  return profile === undefined ? WORDS[cause] : `the security profile "${profile.slice(0, 60)}" cannot be used`;
}

/**
 * Returns the reason for a decision, such as `injection, dlp`, or why it has no complete verdict: part of a sentence.
 */
export function groundsOf({ verdict, unscanned, profile }: Decision): string {
  if (unscanned !== undefined) return `no complete verdict: ${causeText(unscanned, profile)} (${unscanned})`;
  if (verdict === undefined) return 'there is nothing to scan';
  return verdict.detectors.length > 0 ? verdict.detectors.join(', ') : verdict.category;
}

/** A scanner that keeps details that decisions lack: the error of its last failed scan, and who answered. */
interface RememberingScanner extends Scanner {
  readonly failure: unknown;
  /** The simulated service answered, not a tenant. */
  readonly simulated: boolean;
}

/** Wraps a scanner. */
export function remembering(scanner: Scanner): RememberingScanner {
  const remembered = {
    failure: undefined as unknown,
    simulated: false,
    call: async (...given: Parameters<Scanner['call']>) => {
      try {
        const result = await scanner.call(...given);
        remembered.simulated ||= result.simulated;
        return result;
      } catch (thrown) {
        remembered.failure = thrown;
        throw thrown;
      }
    },
  };
  return remembered;
}

/** A line for any logger, such as `logger[level](fields, message)`. */
export interface DecisionLine {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

const NOUNS = { input: 'an input', output: 'an output', tool: 'a tool call' } as const;
const VERBS = { allow: 'allowed', block: 'blocked', mask: 'masked' } as const;

/**
 * Returns the log line of a decision: `warn` without a complete verdict, `info` for a block or a mask, otherwise
 * `debug`. A cancelled scan is `debug`: departing readers must not drown out lines that need attention. Use it as
 * `onDecision: (decision) => write(decisionLine(decision))`.
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
