/** Answers a call of `aisec_guard`. */
import { ConfigurationError, RefusedError, UsageError } from '../../../core/errors.ts';
import { createGuard, type Decision, type Guard, type GuardContext } from '../../../guard/guard.ts';
import { groundsOf, remembering } from '../../../guard/reasons.ts';
import type { Agent } from '../agent.ts';
import { inert, plain, plainValue } from '../content.ts';
import type { ToolResult } from '../run-command.ts';
import type { ToolArguments } from '../tool-arguments.ts';
import { type Content, contentOf, contextOf, requiredText } from './arguments.ts';

/**
 * Decides about a content. Without a complete verdict the decision is a block: the agent is not the one to choose.
 * @throws UsageError and ConfigurationError, where nothing was scanned and the caller can correct it
 */
export async function decide({ client }: Agent, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
  const scanner = remembering(client);
  const content = contentOf(args);
  // Verdicts are not kept: an agent that asks again has a reason.
  const guard = createGuard(scanner, { profile: requiredText(args, 'profile'), cache: false });
  const decision = await decisionOf(guard, content, contextOf(args, signal));
  const { failure } = scanner;
  if (isCallers(failure)) throw failure;
  return resultOf(decision, scanner.simulated);
}

function decisionOf(guard: Guard, { kind, content }: Content, context: GuardContext): Promise<Decision> {
  if (kind === 'tool') return guard.tool(content, context);
  return kind === 'input' ? guard.input(content, context) : guard.output(content, context);
}

/** Reports whether an error says what the caller, or the person who started the server, has to correct. */
function isCallers(thrown: unknown): boolean {
  return thrown instanceof ConfigurationError || (thrown instanceof UsageError && !(thrown instanceof RefusedError));
}

function resultOf(decision: Decision, simulated: boolean): ToolResult {
  const { action, scanId } = decision;
  const id = scanId === undefined ? '' : `, scan ${scanId}`;
  const line = inert(plain(`${action}: ${groundsOf(decision)}${id}`));
  return {
    content: [{ type: 'text', text: simulated ? `${line} (SIMULATED: no tenant has decided)` : line }],
    structuredContent: plainValue({ ...decision, simulated }) as Record<string, unknown>,
  };
}
