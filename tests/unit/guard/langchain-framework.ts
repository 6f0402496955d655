/** The parts of LangChain that its adapter meets, in small: `npm run test:guard-frameworks` tries the real framework. */

type Fields = Readonly<Record<string, unknown>>;

/** A message of any type; chunks of it can be joined. */
export class Message {
  readonly content: unknown;
  readonly type: string = 'ai';
  readonly id?: string;
  readonly additional_kwargs: Fields = {};
  readonly response_metadata: Fields = {};
  readonly tool_calls: readonly { readonly name: string; readonly args: unknown }[] = [];
  readonly invalid_tool_calls: readonly unknown[] = [];
  readonly usage_metadata?: unknown;
  readonly status?: string;

  constructor(fields: Fields) {
    Object.assign(this, fields);
  }

  concat(other: Message): Message {
    const content = [this.content, other.content].flatMap((each) => (each === '' ? [] : each));
    return new Message({
      content,
      additional_kwargs: { ...this.additional_kwargs, ...other.additional_kwargs },
      response_metadata: { ...this.response_metadata, ...other.response_metadata },
      tool_calls: [...this.tool_calls, ...other.tool_calls],
      invalid_tool_calls: [...this.invalid_tool_calls, ...other.invalid_tool_calls],
    });
  }
}

export class Human extends Message {
  override readonly type: string = 'human';
}

export class Tool extends Message {
  override readonly type: string = 'tool';
}

/** One answer, or a chunk of it. */
export class Generation {
  readonly text: string;
  readonly message: Message;
  readonly generationInfo: Fields;

  constructor({ text, message, generationInfo = {} }: { text: string; message: Message; generationInfo?: Fields }) {
    this.text = text;
    this.message = message;
    this.generationInfo = generationInfo;
  }

  concat(other: Generation): Generation {
    const generationInfo = { ...this.generationInfo, ...other.generationInfo };
    return new Generation({
      text: this.text + other.text,
      message: this.message.concat(other.message),
      generationInfo,
    });
  }
}

export interface RunManager {
  handleLLMNewToken(text: string, ...rest: readonly unknown[]): Promise<void>;
}

export interface Options {
  readonly signal?: AbortSignal;
}

type Prompt = string | readonly unknown[];

/** The framework's class of chat models. */
export abstract class ChatModel {
  cache: unknown;

  static _convertInputToPromptValue(input: Prompt) {
    const texts = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    const messages = texts.map((each) => {
      if (each instanceof Message) return each;
      const { role, ...fields } = each as { readonly role: string };
      return role === 'user' ? new Human(fields) : new Message(fields);
    });
    return { toChatMessages: () => messages };
  }

  abstract _generate(
    messages: readonly Message[],
    options: Options,
    manager?: RunManager,
  ): Promise<{ generations: readonly Generation[]; llmOutput?: Fields }>;

  // biome-ignore lint/correctness/useYield: the framework's own method streams nothing.
  async *_streamResponseChunks(
    _messages: readonly Message[],
    _options: Options,
    _manager?: RunManager,
  ): AsyncGenerator<Generation> {
    throw new Error('Not implemented.');
  }

  async *_streamChatModelEvents(messages: readonly Message[], options: Options): AsyncGenerator<Fields> {
    for await (const { text } of this._streamResponseChunks(messages, options)) yield { event: 'delta', text };
    yield { event: 'message-finish', reason: 'stop' };
  }

  async invoke(input: Prompt, options: Options = {}, manager?: RunManager): Promise<Message> {
    const messages = ChatModel._convertInputToPromptValue(input).toChatMessages();
    const { generations } = await this._generate(messages, options, manager);
    const [first] = generations;
    if (first === undefined) throw new Error('no answer');
    return first.message;
  }

  async *stream(input: Prompt, options: Options = {}, manager?: RunManager): AsyncGenerator<Message> {
    const messages = ChatModel._convertInputToPromptValue(input).toChatMessages();
    for await (const { message } of this._streamResponseChunks(messages, options, manager)) yield message;
  }

  withConfig(config: Fields): object {
    return new Binding({ bound: this, config, kwargs: {} });
  }
}

/** A runnable with a model inside, and options for it. */
export class Binding {
  readonly bound: object;
  readonly config: Fields;
  readonly kwargs: Fields;

  constructor({ bound, config, kwargs }: { bound: object; config: Fields; kwargs: Fields }) {
    this.bound = bound;
    this.config = config;
    this.kwargs = kwargs;
  }
}

/** A provider's model, which answers with given chunks and notes what happens to it. */
export class Provided extends ChatModel {
  calls: (readonly Message[])[] = [];
  ended = 0;
  managers: unknown[] = [];
  readonly chunks: readonly Generation[];

  constructor(chunks: readonly Generation[]) {
    super();
    this.chunks = chunks;
  }

  override async _generate(messages: readonly Message[], _options: Options, manager?: RunManager) {
    this.calls.push(messages);
    this.managers.push(manager);
    return { generations: this.chunks, llmOutput: { tokenUsage: { totalTokens: 2 }, says: 'BAD words' } };
  }

  override async *_streamResponseChunks(messages: readonly Message[], _options: Options, manager?: RunManager) {
    this.calls.push(messages);
    this.managers.push(manager);
    try {
      for (const chunk of this.chunks) {
        yield chunk;
        await manager?.handleLLMNewToken(chunk.text);
      }
    } finally {
      this.ended += 1;
    }
  }

  /** The provider's own events, past all chunks. */
  override async *_streamChatModelEvents(_messages: readonly Message[], _options: Options): AsyncGenerator<Fields> {
    for (const { text } of this.chunks) yield { event: 'delta', text };
  }

  /** As a provider's own, past the framework's. */
  override async invoke(_input: Prompt, _options?: Options): Promise<Message> {
    const [first] = this.chunks;
    return first?.message ?? new Message({ content: '' });
  }

  bindTools(_tools: readonly unknown[]): Provided {
    return new Provided(this.chunks);
  }

  withStructuredOutput(kind: 'own' | 'other'): object {
    const model = kind === 'own' ? this.bindTools([]) : new Provided(this.chunks);
    return { steps: [{ steps: { raw: model }, invoke: () => undefined }] };
  }
}

/** Returns an answer, or a chunk, with a text and more members. */
export function said(content: unknown, fields: Fields = {}, generationInfo: Fields = {}): Generation {
  const text = typeof content === 'string' ? content : '';
  return new Generation({ text, message: new Message({ content, ...fields }), generationInfo });
}

/** Cuts a text into chunks of seven characters. */
export function chunksOf(text: string, make: (piece: string) => Generation = said): Generation[] {
  return (text.match(/.{1,7}/gsu) ?? []).map((piece) => make(piece));
}
