/**
 * Puts the guard around agents of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk` 0.3): hooks decide about
 * prompts, tool calls and their results, `guardMessages` decides about everything the agent says. The types are structural,
 * because the SDK ships a binary for each platform; the framework trials compile them against the SDK's own types.
 */
import type { Guard, GuardContext } from '../types.ts';
import type { ClaudeAgentOptions } from './claude-agent/messages.ts';
import { decided, isForm, type Notes, toolNotes, toolOf } from './claude-agent/tool-calls.ts';
import { contextWith, resultOf, withTexts } from './values.ts';

export { type AgentQuery, type ClaudeAgentOptions, guardMessages } from './claude-agent/messages.ts';

/** The members of a hook's input that the guard reads. */
interface HookInput {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly prompt_id?: string;
}

type HookOutput = Readonly<Record<string, unknown>>;

/** A hook, as the SDK calls it. */
export type GuardHook = (
  input: HookInput,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookOutput>;

/** One entry of the SDK's option `hooks`. */
export interface GuardHookMatcher {
  readonly hooks: GuardHook[];
  /** In seconds; longer than the hook takes, because the SDK passes a result if its hook is late. */
  readonly timeout: number;
  readonly onFailure: 'block';
}

/** The option `hooks` of `query()`. */
export type GuardHooks = Record<keyof typeof DECIDERS, GuardHookMatcher[]>;

/** Consecutive scans in one hook: the call, its masked text, and the masked call. */
const SCANS = 3;

/**
 * Creates the option `hooks` of `query()`. A blocked prompt never reaches the model; a blocked call does not run; a
 * blocked result is replaced by the guard's message, and if the SDK does not accept the replacement, the agent stops.
 */
export function guardHooks(guard: Guard, { context: contextOf }: ClaudeAgentOptions = {}): GuardHooks {
  const notes = toolNotes(guard);
  notes.hooked = true;
  const limit = guard.timeoutMs * SCANS + 500;
  const timeout = Math.ceil(limit / 1000) + 1;
  const hook: GuardHook = async (input, _, { signal }) => {
    const turn = input.prompt_id === undefined ? {} : { transaction_id: input.prompt_id };
    // Decides in time, however many scans a long text takes: the SDK passes a tool's result if its hook is late.
    const told = { session_id: input.session_id, ...turn, ...contextOf?.(input) };
    const context = contextWith(told, signal, AbortSignal.timeout(limit));
    return DECIDERS[input.hook_event_name as keyof GuardHooks]({ guard, notes, context }, input as never);
  };
  const entry = (): GuardHookMatcher[] => [{ hooks: [hook], timeout, onFailure: 'block' }];
  return Object.fromEntries(Object.keys(DECIDERS).map((event) => [event, entry()])) as GuardHooks;
}

interface Deciding {
  readonly guard: Guard;
  readonly notes: Notes;
  readonly context: GuardContext;
}

/** Members of each event's input. */
interface EventInput extends HookInput {
  readonly prompt: string;
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly error?: string;
  readonly mcp_server?: { readonly name?: string };
  readonly tool_calls: readonly EventInput[];
}

const DECIDERS = {
  UserPromptSubmit: prompt,
  UserPromptExpansion: prompt,
  PreToolUse: before,
  PostToolUse: after,
  PostToolUseFailure: afterFailure,
  PostToolBatch: beforeModel,
};

/** Decides about a prompt. A hook cannot change it, so a prompt that needs masking is blocked. */
async function prompt({ guard, notes, context }: Deciding, input: EventInput): Promise<HookOutput> {
  const decision = await guard.input(input.prompt, context);
  if (decision.action === 'allow') return {};
  const reason = guard.message(decision);
  notes.stops.set(input.session_id, reason);
  return { decision: 'block', reason, ...specific(input, { suppressOriginalPrompt: true }) };
}

/** Decides whether a call runs. Allowing it does not approve it: the SDK's own permissions still apply. */
async function before({ guard, notes, context }: Deciding, input: EventInput): Promise<HookOutput> {
  const scan = (given: unknown) => guard.tool({ ...callOf(input), input: given }, context);
  const { decision, value } = await decided(guard, input.tool_input ?? {}, context, { scan, isKept: isForm });
  if (decision.action === 'allow') return {};
  if (decision.action === 'mask') return specific(input, { updatedInput: value });
  notes.add(input.session_id, input.tool_use_id, 'denied');
  return specific(input, { permissionDecision: 'deny', permissionDecisionReason: guard.message(decision) });
}

async function after({ guard, notes, context }: Deciding, input: EventInput): Promise<HookOutput> {
  const { session_id: session, tool_use_id: id, tool_response: response = '' } = input;
  const scan = (given: unknown) => guard.tool({ ...callOf(input), output: resultOf(given) }, context);
  const { decision, value } = await decided(guard, response, context, { scan, isKept: isForm });
  if (decision.action === 'allow') {
    notes.add(session, id, 'cleared');
    return {};
  }
  notes.add(session, id, 'doubtful');
  // The SDK requires the shape of the result, so the message replaces every text in it.
  const told = () => guard.message(decision);
  const updatedToolOutput = decision.action === 'mask' ? value : await withTexts(response, isForm, told);
  return specific(input, { updatedToolOutput });
}

/** Decides about a tool's error. The SDK cannot replace an error: `beforeModel` stops the agent. */
async function afterFailure({ guard, notes, context }: Deciding, input: EventInput): Promise<HookOutput> {
  const decision = await guard.tool({ ...callOf(input), output: input.error ?? '' }, context);
  const note = decision.action === 'allow' ? 'cleared' : { message: guard.message(decision) };
  notes.add(input.session_id, input.tool_use_id, note);
  return {};
}

/**
 * The last gate before results reach the model, and the only hook after a tool whose failure stops the agent. Scans
 * what no earlier hook cleared. Scans replaced results too, because the SDK keeps the original if it rejects a
 * replacement.
 */
async function beforeModel(deciding: Deciding, input: EventInput): Promise<HookOutput> {
  const messages = await Promise.all(input.tool_calls.map((call) => refusalOf(deciding, input.session_id, call)));
  const message = messages.find((each) => each !== undefined);
  if (message === undefined) return {};
  deciding.notes.stops.set(input.session_id, message);
  return { continue: false, stopReason: message, decision: 'block', reason: message };
}

async function refusalOf({ guard, notes, context }: Deciding, session: string, call: EventInput) {
  const note = notes.of(session, call.tool_use_id);
  // The refusal itself is not scanned.
  if (note === 'cleared' || note === 'denied') return undefined;
  if (typeof note === 'object') return note.message;
  const decision = await guard.tool({ ...callOf(call), output: resultOf(call.tool_response ?? '') }, context);
  return decision.action === 'allow' ? undefined : guard.message(decision);
}

function callOf({ tool_name: name, mcp_server: server }: EventInput) {
  return toolOf(name, server?.name);
}

function specific({ hook_event_name: hookEventName }: HookInput, members: object): HookOutput {
  return { hookSpecificOutput: { hookEventName, ...members } };
}
