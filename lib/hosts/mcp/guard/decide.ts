/**
 * Answers `aisec_guard` calls. Refuses arguments that it would not scan: an agent would believe that they were scanned.
 */
import { ConfigurationError, RefusedError, UsageError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import { groundsOf, remembering } from '../../../guard/cause-words.ts';
import {
  createGuard,
  type Decision,
  type Guard,
  type GuardContext,
  type Message,
  type ToolCall,
} from '../../../guard/guard.ts';
import { decoded } from '../../../guard/readable.ts';
import type { Agent } from '../agent.ts';
import { inert, plain, plainValue } from '../content.ts';
import type { ToolResult } from '../run-command.ts';
import { argumentsIn, type ToolArguments, textArgument } from '../tools.ts';

/** The content to decide on. */
export type Content =
  | { readonly kind: 'input'; readonly content: string | readonly Message[] }
  | { readonly kind: 'output'; readonly content: string }
  | { readonly kind: 'tool'; readonly content: ToolCall };

/** Arguments by kind, besides `profile`, `kind` and `context`. */
const OWN = { input: ['text', 'messages'], output: ['text'], tool: ['server', 'tool', 'input', 'output'] } as const;
const ALWAYS = ['profile', 'kind', 'context'];
const CONTEXT = ['session_id', 'transaction_id', 'app_user', 'ai_model', 'grounding'] as const;

/** Reads the content. @throws UsageError */
export function toolContent(args: ToolArguments): Content {
  const kind = textArgument(args, 'kind');
  if (kind !== 'input' && kind !== 'output' && kind !== 'tool')
    throw new UsageError('kind is input, output or tool.', { argument: 'kind' });
  const own: readonly string[] = OWN[kind];
  const stray = Object.keys(args).find((name) => ![...ALWAYS, ...own].includes(name) && isGiven(args, name));
  if (stray !== undefined)
    throw new UsageError(`${stray} is not scanned with the kind ${kind}.`, { hint: `It takes ${own.join(', ')}.` });
  if (kind === 'tool') return { kind, content: toolCallOf(args) };
  if (kind === 'output' || !isGiven(args, 'messages')) return { kind, content: requiredText(args, 'text') };
  if (isGiven(args, 'text')) throw new UsageError('Give text or messages, not both.');
  return { kind, content: messagesOf(args['messages']) };
}

function isGiven(args: ToolArguments, name: string): boolean {
  return args[name] !== undefined && args[name] !== null;
}

/** Reads a required string. @throws UsageError */
export function requiredText(args: ToolArguments, name: string): string {
  const text = textArgument(args, name);
  if (text === '') throw new UsageError(`${name} is missing.`, { argument: name, hint: 'Nothing was scanned.' });
  return text;
}

function toolCallOf(args: ToolArguments): ToolCall {
  const call = { server: requiredText(args, 'server'), tool: requiredText(args, 'tool') };
  const [hasInput, hasOutput] = [isGiven(args, 'input'), isGiven(args, 'output')];
  if (!hasInput && !hasOutput) throw new UsageError('A tool call has an input, an output, or both.');
  return {
    ...call,
    ...(hasInput ? { input: args['input'] } : {}),
    ...(hasOutput ? { output: args['output'] } : {}),
  };
}

/** Reads a conversation; some clients pass it as JSON text. */
function messagesOf(value: unknown): readonly Message[] {
  const list: unknown = typeof value === 'string' ? parsed(value) : value;
  const isConversation = Array.isArray(list) && list.length > 0 && list.every(isMessage);
  if (!isConversation) throw new UsageError('messages is a list of {role, content}.', { argument: 'messages' });
  return list;
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value['role'] === 'string' && 'content' in value;
}

function parsed(text: string): unknown {
  try {
    return decoded(text);
  } catch {
    return undefined;
  }
}

/** Reads the context. @throws UsageError for an unknown member: a typo would separate the turn from its conversation */
export function toolContext(args: ToolArguments, signal: AbortSignal): GuardContext {
  const given = argumentsIn(args['context']);
  const known: readonly string[] = CONTEXT;
  const stray = Object.keys(given).find((name) => !known.includes(name) || typeof given[name] !== 'string');
  if (stray === undefined) return { ...given, signal };
  throw new UsageError('The context has an unknown member, or a value that is not text.', {
    hint: `It takes ${known.join(', ')}.`,
  });
}

/**
 * Decides on content. Without a complete verdict the decision is a block: the agent must not choose.
 * @throws UsageError or ConfigurationError if nothing was scanned and the caller can fix the cause
 */
export async function decideForAgent({ client }: Agent, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
  const scanner = remembering(client);
  const content = toolContent(args);
  // Do not cache verdicts: an agent that asks again has a reason.
  const guard = createGuard(scanner, { profile: requiredText(args, 'profile'), cache: false });
  const decision = await decisionOf(guard, content, toolContext(args, signal));
  const { failure } = scanner;
  if (isCallers(failure)) throw failure;
  return resultOf(decision, scanner.simulated);
}

function decisionOf(guard: Guard, { kind, content }: Content, context: GuardContext): Promise<Decision> {
  if (kind === 'tool') return guard.tool(content, context);
  return kind === 'input' ? guard.input(content, context) : guard.output(content, context);
}

/** Reports whether the caller, or the person who started the server, can fix an error. */
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
