/** A guarded LangChain chat model: no text leaves it unscanned, streamed or not. */
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { ModelRefusalError } from '@langchain/core/errors';
import type { BaseLanguageModelInput, StructuredOutputMethodOptions } from '@langchain/core/language_models/base';
import {
  BaseChatModel,
  type BaseChatModelCallOptions as CallOptions,
} from '@langchain/core/language_models/chat_models';
import { convertChunksToEvents } from '@langchain/core/language_models/compat';
import type { ChatModelStreamEvent, FinishReason } from '@langchain/core/language_models/event';
import { AIMessageChunk, type BaseMessage, coerceMessageLikeToMessage, HumanMessage } from '@langchain/core/messages';
import { OutputParserException } from '@langchain/core/output_parsers';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { Runnable, RunnableBinding, type RunnableConfig, RunnableLambda } from '@langchain/core/runnables';
import type { Decision, Guard } from '../../types.ts';
import type { Values } from '../values.ts';
import { type Answer, checkedAnswer, copyOf, signsIn } from './answer.ts';
import { type Ask, Call, type ModelOptions, refusalFields, withoutPartial } from './call.ts';
import { HeldAnswer } from './stream.ts';

/** A chat model, or a binding of one, such as `withConfig` returns. */
export type Model = Runnable<BaseLanguageModelInput, AIMessageChunk>;

/** A structured output, with the message that it was read from. */
interface Structured {
  readonly raw: Answer;
  readonly parsed: unknown;
  readonly isRefused?: boolean;
}

/** Maps providers' finish reasons to those of the framework's events. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  content_filter: 'content_filter',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_use',
  tool_use: 'tool_use',
};

/**
 * Guards a chat model: `invoke`, `stream`, `streamEvents`, callbacks and the agent's stream of tokens show only what
 * was scanned. A blocked call answers with the guard's message and `finish_reason: "content_filter"`. Models returned
 * by `bindTools`, `withConfig` and `withStructuredOutput` are guarded too.
 * @throws TypeError if it is not a chat model, or if a cache or callbacks would see unscanned text
 */
export function guardModel(guard: Guard, model: BaseChatModel, options?: ModelOptions): BaseChatModel;
export function guardModel(guard: Guard, model: Model, options?: ModelOptions): Model;
export function guardModel(guard: Guard, model: Model, options: ModelOptions = {}): Model {
  if (model instanceof GuardedChatModel) return model.guardedBy(guard, options);
  if (isChatModel(model)) return new GuardedChatModel(guard, model, options);
  if (!Runnable.isRunnable(model) || !RunnableBinding.isRunnableBinding(model))
    throw new TypeError('guardModel guards chat models of @langchain/core 1.x. Guard the model, then build on it.');
  const { bound, kwargs = {}, config, configFactories = [] } = model;
  const args = { kwargs };
  return new RunnableBinding({ bound: guardModel(guard, bound, options), config, configFactories, ...args });
}

function isChatModel(model: Model): model is BaseChatModel {
  // Two copies of the framework may be loaded, so `instanceof` is not reliable.
  return (
    Runnable.isRunnable(model) && (model as unknown as Partial<BaseChatModel>)._modelType?.() === 'base_chat_model'
  );
}

function check({ cache, callbacks, verbose }: BaseChatModel): void {
  if (cache)
    throw new TypeError(
      'A guarded model must not have a cache: it would keep unscanned text. Create it without cache.',
    );
  const isTold = Array.isArray(callbacks) ? callbacks.length > 0 : callbacks !== undefined;
  if (isTold || verbose)
    throw new TypeError(
      'A guarded model must not have callbacks: they would see unscanned text. Create it without callbacks and verbose, and pass callbacks to its calls.',
    );
}

/** A chat model that wraps another and calls its `invoke` and `stream`. */
class GuardedChatModel extends BaseChatModel {
  readonly #guard: Guard;
  readonly #model: BaseChatModel;
  readonly #options: ModelOptions;

  constructor(guard: Guard, model: BaseChatModel, options: ModelOptions) {
    check(model);
    super(model.outputVersion === undefined ? {} : { outputVersion: model.outputVersion });
    this.disableStreaming = model.disableStreaming;
    this.name = model.getName();
    this.#guard = guard;
    this.#model = model;
    this.#options = options;
  }

  static override lc_name(): string {
    return 'GuardedChatModel';
  }

  _llmType(): string {
    return 'guarded';
  }

  override get profile(): BaseChatModel['profile'] {
    return this.#model.profile;
  }

  override getLsParams(options: this['ParsedCallOptions']): ReturnType<BaseChatModel['getLsParams']> {
    return this.#model.getLsParams(options);
  }

  /** Returns this model with other options, or, given another guard, guarded by both. */
  guardedBy(guard: Guard, options: ModelOptions): GuardedChatModel {
    return new GuardedChatModel(guard, guard === this.#guard ? this.#model : this, options);
  }

  override bindTools(...args: Parameters<NonNullable<BaseChatModel['bindTools']>>): Model {
    if (this.#model.bindTools === undefined) throw new TypeError(`${this.getName()} does not support tools.`);
    return guardModel(this.#guard, this.#model.bindTools(...args), this.#options);
  }

  /**
   * Returns an object once all of it is scanned. The types are those of the framework's class.
   * @throws ModelRefusalError from the runnable, if `includeRaw` is not set
   */
  // biome-ignore lint/suspicious/noExplicitAny: the framework's method has an overload for each kind of schema
  override withStructuredOutput(schema: object, config: StructuredOutputMethodOptions<boolean> = {}): any {
    const inner = this.#model.withStructuredOutput(schema, { ...config, includeRaw: true });
    return RunnableLambda.from(async (input: BaseLanguageModelInput, options: CallOptions) => {
      const ask = (sent: BaseMessage[], own: RunnableConfig) => inner.invoke(sent, own) as Promise<Structured>;
      const { isRefused, ...structured } = await this.#answered(messagesIn(input), options, ask, false);
      if (config.includeRaw === true) return structured;
      if (isRefused === true) throw new ModelRefusalError(structured.raw.text, { rawMessage: structured.raw });
      if (structured.parsed === null) throw new OutputParserException('The answer does not fit the schema.');
      return structured.parsed;
    });
  }

  /** Answers without streaming. */
  async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const ask: Ask<Structured> = async (sent, inner) => ({ raw: await this.#model.invoke(sent, inner), parsed: null });
    const { raw: message } = await this.#answered(messages, options, ask);
    const usage = message.response_metadata['tokenUsage'];
    const report = usage === undefined ? {} : { llmOutput: { tokenUsage: usage } };
    return { generations: [{ text: message.text, message }], ...report };
  }

  /** Answers in chunks. */
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const message of this.#chunks(messages, options)) {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await manager?.handleLLMNewToken(chunk.text, { prompt: 0, completion: 0 }, undefined, undefined, undefined, {
        chunk,
      });
    }
  }

  /** Adds the metadata, including the mark of a refusal, to the last event: the framework omits it. */
  override async *_streamChatModelEvents(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatModelStreamEvent> {
    let metadata: Values = {};
    const chunks = this._streamResponseChunks(messages, options, manager);
    const noted = async function* () {
      for await (const chunk of chunks) {
        metadata = { ...metadata, ...chunk.message.response_metadata };
        yield chunk;
      }
    };
    const { signal } = options;
    for await (const event of convertChunksToEvents(noted(), signal === undefined ? {} : { signal })) {
      const reason = REASONS[String(metadata['finish_reason'] ?? metadata['stop_reason'])];
      const end = { responseMetadata: metadata, ...(reason === undefined ? {} : { reason }) };
      yield event.event === 'message-finish' ? { ...event, ...end } : event;
    }
  }

  async #answered(
    messages: readonly BaseMessage[],
    options: CallOptions,
    ask: Ask<Structured>,
    canMask = true,
  ): Promise<Structured> {
    const call = new Call(this.#guard, this.#options, options);
    const asked = await call.asked(messages, ask);
    if ('blocked' in asked) return { raw: this.#refusal(asked.blocked), parsed: null, isRefused: true };
    const { raw, parsed } = asked.answer;
    const checked = await checkedAnswer(this.#guard, raw, call.context, canMask);
    call.throwIfLeft();
    if ('message' in checked) return { raw: checked.message, parsed };
    const { id, usage_metadata } = raw;
    const known = signsIn({ id, usage_metadata });
    return { raw: this.#refusal(checked.blocked, known), parsed: null, isRefused: true };
  }

  async *#chunks(messages: readonly BaseMessage[], options: CallOptions): AsyncGenerator<AIMessageChunk> {
    const call = new Call(this.#guard, this.#options, options);
    const held = new HeldAnswer(this.#guard, call.context);
    let hasShown = false;
    try {
      const asked = await call.asked(messages, (sent, inner) => this.#model.stream(sent, inner));
      if ('blocked' in asked) {
        yield this.#refusal(asked.blocked);
        return;
      }
      for await (const chunk of chunksWithEnd(asked.answer)) {
        for (const shown of await (chunk === undefined ? held.end() : held.push(chunk))) {
          hasShown ||= shown.text !== '';
          yield shown;
        }
        if (held.blocked === undefined) continue;
        call.throwIfLeft();
        yield this.#refusal(held.blocked, held.reported, hasShown ? '\n\n' : '');
        return;
      }
    } catch (thrown) {
      throw withoutPartial(thrown);
    } finally {
      // Ends the model request and the scan, even if the reader has left.
      held.cancel();
      call.stop();
    }
  }

  #refusal(decision: Decision, more: Values = {}, before = ''): AIMessageChunk {
    return new AIMessageChunk(refusalFields(`${before}${this.#guard.message(decision)}`, more));
  }
}

/** Messages in every form that a model accepts. */
function messagesIn(input: BaseLanguageModelInput): BaseMessage[] {
  if (typeof input === 'string') return [new HumanMessage(input)];
  return Array.isArray(input) ? input.map(coerceMessageLikeToMessage) : input.toChatMessages();
}

/** Yields the chunks, then undefined. A model without streaming answers with one message. */
async function* chunksWithEnd(stream: AsyncIterable<Answer>): AsyncGenerator<AIMessageChunk | undefined> {
  for await (const each of stream) yield 'concat' in each ? each : copyOf(each, {}, AIMessageChunk);
  yield undefined;
}
