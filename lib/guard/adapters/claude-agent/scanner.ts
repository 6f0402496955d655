/** Decides about complete messages of the Claude Agent SDK, and separates their text from protocol values. */
import { objectOf } from '../../../core/json.ts';
import { SHARED } from '../../options.ts';
import { contentText } from '../../readable.ts';
import { memoryOf } from '../../scanning.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { decidedText, isSign as isKnownSign, resultOf, type Values, withoutSigns } from '../values.ts';
import { decided, type Notes, toolNotes, toolOf } from './tool-calls.ts';

/** Members that hold protocol values. */
const OWN = new Set(['message', 'delta', 'event']);

export function isClaudeSign(member: string, value: unknown): boolean {
  if (member === 'usage' || member === 'modelUsage') return withoutSigns(value, isKnownSign) === undefined;
  // Encrypted reasoning, which only the provider can read.
  return isKnownSign(member === 'data' ? 'encrypted' : member, value);
}

/** Returns the blocks of a message; none if the message has an unknown shape. */
export function messageBlocks({ message }: Values): readonly Values[] {
  const { content } = objectOf(message);
  return Array.isArray(content) ? content.map(objectOf) : [];
}

/** Returns the calls in a message that have an input; for a result message, the refused calls. */
function callsIn(message: Values): readonly Values[] {
  const { permission_denials: denials } = message;
  const refused = Array.isArray(denials) ? denials.map(objectOf) : [];
  const calls = refused.map(({ tool_name: name, tool_input: input }): Values => ({ name, input }));
  return [...messageBlocks(message), ...calls].filter(
    ({ input = {} }) => input !== null && JSON.stringify(input) !== '{}',
  );
}

/**
 * Returns the parts of a message to scan: its texts, joined to an earlier text as the reader joins them, and
 * everything else.
 */
export function messageContent({ result, ...message }: Values, blocks: readonly unknown[], earlier: string): unknown {
  const { content: _, ...rest } = objectOf(message['message']);
  const others = blocks.length === 0 ? message : { ...message, message: rest };
  const texts = [earlier, result, ...blocks.map((block) => withoutSigns(block, isClaudeSign, OWN))];
  return [texts, withoutSigns(others, isClaudeSign, OWN)];
}

/** Answers that a later message may continue. */
const MAX_ANSWERS = 50;

export interface Shown {
  readonly decision: Decision;
  /** The part of the message that may be shown. */
  readonly message: Values;
}

/** Decides about the messages of one query. */
export class MessageScanner {
  readonly #guard: Guard;
  readonly #notes: Notes;
  readonly #contextOf: (message: Values) => GuardContext;
  /** The tails of answers: the SDK sends each block in a separate message, and a reader joins them. */
  readonly #ends = memoryOf<string>(MAX_ANSWERS);

  constructor(guard: Guard, contextOf: (message: Values) => GuardContext) {
    this.#guard = guard;
    this.#notes = toolNotes(guard);
    this.#contextOf = contextOf;
  }

  /**
   * Decides about a message. Drops what a tool wrote besides its result: the model does not receive it, and no hook
   * sees it.
   */
  async shown({ tool_use_result: _, ...message }: Values): Promise<Shown> {
    const { type, parent_tool_use_id: agent } = message;
    const key = JSON.stringify([type, agent, objectOf(message['message'])['id']]);
    const earlier = this.#ends.get(key) ?? '';
    let found = await this.#decided(message, earlier);
    const emptied = found.decision.action === 'block' ? this.#emptied(message) : undefined;
    if (emptied !== undefined) found = await this.#decided(emptied, earlier);
    if (type === 'assistant') {
      const texts = messageBlocks(found.message).map((block) =>
        block['type'] === 'text' ? String(block['text']) : '',
      );
      const end = [earlier, ...texts].join('').slice(-SHARED);
      this.#ends.set(key, end.replace(/^[\udc00-\udfff]/, ''));
    }
    return found;
  }

  async #decided(message: Values, earlier: string): Promise<Shown> {
    const context = this.#contextOf(message);
    const words = async (given: Values) => {
      const content = messageContent(given, this.#unread(given), earlier);
      const output = resultOf(content);
      // Input of the model is scanned as a tool result.
      const isForModel = message['type'] === 'user' && output !== '';
      if (isForModel) return this.#guard.tool({ ...toolOf('result'), output }, context);
      return decidedText(this.#guard, () => contentText(content), context);
    };
    const scan = async (given: unknown) => {
      const calls = callsIn(given as Values).map(({ name, input }) => {
        return this.#guard.tool({ ...toolOf(String(name)), input }, context);
      });
      const [said, ...called] = await Promise.all([words(given as Values), ...calls]);
      return called.find(({ action }) => action === 'block') ?? said;
    };
    const { decision, value } = await decided(this.#guard, message, context, { scan, isKept: isClaudeSign });
    return { decision, message: objectOf(value) };
  }

  /** Returns the blocks of a message, without calls, results that a hook has cleared, and refusals of the guard itself. */
  #unread(message: Values): readonly Values[] {
    return messageBlocks(message).map(({ input: _, ...block }) => {
      const note = this.#notes.of(String(message['session_id']), String(block['tool_use_id']));
      const isUnread = block['type'] !== 'tool_result' || (note !== 'cleared' && note !== 'denied');
      return isUnread ? block : { ...block, content: undefined };
    });
  }

  /**
   * Empties calls that did not run, and calls and results that the hooks of the same guard refuse: the hooks inform the
   * model or stop the agent. Do not close the query instead: it would run until its process ends, and send the model
   * the results so far.
   */
  #emptied(message: Values): Values | undefined {
    const { type, permission_denials: denials } = message;
    if (type === 'result' && Array.isArray(denials))
      return { ...message, permission_denials: denials.map((call) => ({ ...objectOf(call), tool_input: {} })) };
    const blocks = messageBlocks(message);
    if (!this.#notes.hooked || (type !== 'assistant' && type !== 'user') || blocks.length === 0) return undefined;
    // The provider runs calls of other types, before any hook.
    const empty: Values = { tool_use: { input: {} }, tool_result: { content: '' } };
    const content = blocks.map((block) => ({ ...block, ...objectOf(empty[String(block['type'])]) }));
    return { ...message, message: { ...objectOf(message['message']), content } };
  }
}
