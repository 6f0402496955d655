/** Decides about the content of MCP messages. Messages with an unknown method are scanned as a whole. */
import { isObject, type JsonObject, objectOf, present } from '../../../core/json.ts';
import { decideDescriptions } from '../../conversation.ts';
import { contentText, lines } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';

export type Id = string | number;

/** A message with its id and method, if it has them. */
export type Named = JsonObject & { readonly id: Id; readonly method: string };

/** Builds a message only from known members. */
export function rpc({ id, method, params, result, error }: JsonObject): JsonObject {
  return { jsonrpc: '2.0', ...present({ id, method, params, result, error }) };
}

/** Returns the kind of a message; undefined if readers could disagree about the kind. */
export function messageKind(message: JsonObject): 'request' | 'response' | 'notification' | undefined {
  const { id, method, params, result, error } = message;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  if ([method, result, error].filter((member) => member !== undefined).length !== 1) return undefined;
  if (method === undefined) return hasId && isObject(result ?? error) ? 'response' : undefined;
  if (typeof method !== 'string' || (params !== undefined && !isObject(params))) return undefined;
  if (id === undefined) return 'notification';
  return hasId ? 'request' : undefined;
}

/** Members of `_meta` that belong to the protocol. */
const ENVELOPE = /^io\.modelcontextprotocol\/(?:protocolVersion|clientInfo|clientCapabilities|logLevel)$/;
/** Members that control the protocol, with their values as JSON: numbers, keywords, and a token without text. */
const SIGN =
  /^(?:(?:progress|total|ttlMs) [\d.e+-]+|isError (?:true|false)|resultType "complete"|cacheScope "(?:public|private)"|progressToken (?:[\d.e+-]+|"[\w-]{1,64}"))$/;

/** Reads a result; structured content that the text repeats is read once. */
export function resultText(result: JsonObject): string {
  const { structuredContent, content, ...rest } = result;
  const said = contentText(content);
  const isRepeated = structuredContent === undefined || said === JSON.stringify(structuredContent);
  return lines([said, isRepeated ? '' : contentText(structuredContent), contentText(withoutSigns(rest))]);
}

/** Returns parameters without the protocol envelope. */
export function paramsContent(params: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (!isObject(meta)) return withoutSigns(params);
  const kept = Object.entries(withoutSigns(meta)).filter(([name]) => !ENVELOPE.test(name));
  return withoutSigns(kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) });
}

function withoutSigns(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => !SIGN.test(`${name} ${JSON.stringify(member)}`)),
  );
}

/** Content that may pass, or the decision that refuses it. */
export type Judged = { readonly passed: JsonObject } | { readonly refused: Decision };

/** The parts of a request that determine how its answer is judged. */
export interface Question {
  readonly method: string;
  /** Tool name, or otherwise the method. */
  readonly tool: string;
}

/** Requests that only control the protocol. */
const STEERING = [
  ...['initialize', 'server/discover', 'ping', 'logging/setLevel', 'subscriptions/listen', 'roots/list'],
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
  ...['tasks/get', 'tasks/list', 'tasks/cancel', 'tasks/result'],
];
/** By list method: the member that holds the list. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
]);
/** Answers that a model reads as a prompt. */
const PROMPTS = ['prompts/get', 'resources/read', 'initialize', 'server/discover', ...LISTS.keys()];
const SAMPLING = 'sampling/createMessage';
/** Tool results, immediate or from a task. */
export const RESULTS = ['tools/call', 'tasks/result'];

export class McpJudge {
  readonly #guard: Guard;
  readonly #server: string;
  /** Tools whose description was refused: they cannot be called either. */
  readonly #poisoned = new Map<string, Decision>();

  constructor(guard: Guard, server: string) {
    this.#guard = guard;
    this.#server = server;
  }

  /** Decides about a request before it is passed on. */
  async request({ method, tool }: Question, params: JsonObject, context: GuardContext): Promise<Judged> {
    const content = paramsContent(params);
    const isCall = method === 'tools/call';
    if (STEERING.includes(method) || (!isCall && contentText(content) === '')) return { passed: params };
    if (method === SAMPLING) return judged(await this.#guard.input(contentText(content), context), params);
    const poisoned = isCall ? this.#poisoned.get(tool) : undefined;
    if (poisoned !== undefined) return { refused: poisoned };
    const { name: _, arguments: given = {}, ...rest } = content;
    const whole = Object.keys(rest).length === 0 ? given : { arguments: given, ...rest };
    const call = { server: this.#server, tool, method, input: isCall ? whole : content };
    return judged(await this.#guard.tool(call, context), params);
  }

  /** Decides about a notification, which is scanned like a result. */
  async notification(question: Question, params: JsonObject, context: GuardContext): Promise<Judged> {
    const text = contentText(paramsContent(params));
    return text === '' ? { passed: params } : judged(await this.#said(question, text, context), params);
  }

  /** Decides about the answer to a request: a result, or an error. */
  async answer(question: Question, answer: JsonObject, context: GuardContext): Promise<Judged> {
    const list = LISTS.get(question.method) ?? '';
    const { [list]: entries, ...rest } = answer;
    const isList = Array.isArray(entries);
    const decision = await this.#said(question, resultText(isList ? rest : answer), context);
    if (!isList || decision.action !== 'allow') return judged(decision, answer);
    return { passed: { ...answer, [list]: await this.#described(question, entries, context) } };
  }

  async #said({ method, tool }: Question, text: string, context: GuardContext): Promise<Decision> {
    if (text === '' || PROMPTS.includes(method)) return this.#guard.input(text, context);
    if (method === SAMPLING) return this.#guard.output(text, context);
    const call = RESULTS.includes(method) ? 'tools/call' : method;
    return this.#guard.tool({ server: this.#server, tool, method: call, output: text }, context);
  }

  /** Removes entries with a refused description from a list. */
  async #described({ method }: Question, all: readonly unknown[], context: GuardContext): Promise<readonly unknown[]> {
    const decisions = await decideDescriptions(this.#guard, all, context);
    const refused = new Map<string, Decision>();
    decisions.forEach((decision, at) => {
      if (decision.action !== 'allow') refused.set(nameOf(all[at]), decision);
    });
    if (method === 'tools/list') {
      for (const tool of all) this.#poisoned.delete(nameOf(tool));
      for (const [name, decision] of refused) this.#poisoned.set(name, decision);
    }
    // If two shared a name, the model could be shown one and call the other.
    return all.filter((entry) => !refused.has(nameOf(entry)));
  }
}

/** A message's text cannot be masked: any decision other than allow refuses the message. */
function judged(decision: Decision, passed: JsonObject): Judged {
  return decision.action === 'allow' ? { passed } : { refused: decision };
}

function nameOf(entry: unknown): string {
  const { name, uri, uriTemplate } = objectOf(entry);
  return contentText(name ?? uri ?? uriTemplate ?? entry);
}
