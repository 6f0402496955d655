/** Assembles the `Runtime` of one command; this file has all defaults. */

import { CONTEXT_LIMIT, type Runtime } from '../../core/runtime.ts';
import { memoryTokens, newShared } from '../../core/shared.ts';

/** Default time limit of one command. */
export const STANDARD_BUDGET_MS = 300_000;

/** Ports and settings have no defaults; all other members do. */
type Needed = 'settings' | 'transport' | 'clock' | 'log' | 'files' | 'advice';

/**
 * Assembles a runtime. Callers that run several commands pass `tokens` and `shared`, so that the commands share the token
 * and the retry budget.
 */
export function runtimeOf(parts: Pick<Runtime, Needed> & Partial<Runtime>): Runtime {
  return {
    tokens: parts.tokens ?? memoryTokens(),
    shared: parts.shared ?? newShared(),
    budgetMs: STANDARD_BUDGET_MS,
    dryRun: false,
    contextLimit: CONTEXT_LIMIT,
    ...parts,
  };
}
