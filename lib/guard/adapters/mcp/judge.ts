/** Decides about the content of messages of MCP. Messages with an unknown method are scanned as a whole. */
import { type JsonObject, objectOf } from '../../../core/json.ts';
import { Descriptions } from '../../descriptions.ts';
import { contentText } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { contentOf, isToken, resultText, withoutSigns } from './text.ts';

/** Content that may pass, or the decision that refuses it. */
export type Judged = { readonly passed: JsonObject } | { readonly refused: Decision };

/** A request, as far as its answer is judged by it. */
export interface Question {
  readonly method: string;
  /** Name of the tool, or else the method. */
  readonly tool: string;
}

/** Requests that only steer the protocol. */
const STEERING = [
  ...['initialize', 'server/discover', 'ping', 'logging/setLevel', 'subscriptions/listen', 'roots/list'],
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
  ...['tasks/get', 'tasks/list', 'tasks/cancel', 'tasks/result'],
];
/** Lists of what a server has, by method: the member with the list. */
const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
/** Answers that a model reads as a prompt. */
const PROMPTS = ['prompts/get', 'resources/read'];
const GREETINGS = ['initialize', 'server/discover'];
const SAMPLING = 'sampling/createMessage';
/** Results of tools, at once or of a task. */
export const RESULTS = ['tools/call', 'tasks/result'];

export class McpJudge {
  readonly #guard: Guard;
  readonly #server: string;
  readonly #descriptions: Descriptions;
  /** Tools whose description was refused: they cannot be called either. */
  readonly #poisoned = new Map<string, Decision>();

  constructor(guard: Guard, server: string) {
    this.#guard = guard;
    this.#descriptions = new Descriptions(guard);
    this.#server = server;
  }

  /** Decides about a request before it is passed on. */
  async request({ method, tool }: Question, params: JsonObject, context: GuardContext): Promise<Judged> {
    const passed = { passed: params };
    if (STEERING.includes(method)) return passed;
    if (method === SAMPLING) return judged(await this.#guard.input(contentText(contentOf(params)), context), params);
    const { name, arguments: input = {}, ...rest } = contentOf(params);
    const isCall = method === 'tools/call';
    const poisoned = isCall ? this.#poisoned.get(tool) : undefined;
    if (poisoned !== undefined) return { refused: poisoned };
    const all = Object.keys(rest).length === 0 ? input : { arguments: input, ...rest };
    const content = isCall ? all : contentOf(params);
    if (!isCall && contentText(content) === '') return passed;
    return judged(await this.#guard.tool({ server: this.#server, tool, method, input: content }, context), params);
  }

  /** Decides about the answer to a request. */
  async result(question: Question, result: JsonObject, context: GuardContext): Promise<Judged> {
    const { method } = question;
    const list = Object.hasOwn(LISTS, method) ? LISTS[method] : undefined;
    if (list !== undefined && Array.isArray(result[list])) return this.#list(question, { result, list }, context);
    if (GREETINGS.includes(method)) return this.#greeting(result, context);
    return judged(await this.#answer(question, resultText(result), context), result);
  }

  /** Decides about the text of an error. */
  async error(question: Question, error: JsonObject, context: GuardContext): Promise<Judged> {
    const { code, ...text } = error;
    const all = typeof code === 'number' ? text : error;
    return judged(await this.#answer(question, contentText(all), context), error);
  }

  /** Decides about a notification; a progress keeps its numbers. */
  async notification(method: string, params: JsonObject, context: GuardContext): Promise<Judged> {
    // Cancelling must not wait for a scan, and its reason is only for logs.
    if (method === 'notifications/cancelled') {
      const { requestId } = params;
      return { passed: ['string', 'number'].includes(typeof requestId) ? { requestId } : {} };
    }
    const { progressToken, ...rest } = contentOf(params);
    const content = isToken(progressToken) ? rest : contentOf(params);
    if (contentText(withoutSigns(content)) === '') return { passed: params };
    const decision = await this.#answer({ method, tool: method }, contentText(content), context);
    if (decision.action === 'allow' || method !== 'notifications/progress') return judged(decision, params);
    const numbers = Object.entries(rest).filter(([, value]) => typeof value === 'number');
    if (!isToken(progressToken)) return { refused: decision };
    return { passed: { progressToken, ...Object.fromEntries(numbers) } };
  }

  async #answer({ method, tool }: Question, text: string, context: GuardContext): Promise<Decision> {
    if (text === '' || PROMPTS.includes(method)) return this.#guard.input(text, context);
    if (method === SAMPLING) return this.#guard.output(text, context);
    const call = RESULTS.includes(method) ? 'tools/call' : method;
    return this.#guard.tool({ server: this.#server, tool, method: call, output: text }, context);
  }

  /** Instructions that are refused are left out: the tools of the server are guarded one by one. */
  async #greeting(result: JsonObject, context: GuardContext): Promise<Judged> {
    const { instructions, ...rest } = result;
    const about = await this.#guard.input(contentText(rest), context);
    if (about.action !== 'allow' || instructions === undefined) return judged(about, rest);
    const decision = await this.#guard.input(contentText(instructions), context);
    return { passed: decision.action === 'allow' ? result : rest };
  }

  /** Leaves what has a refused description out of a list. */
  async #list({ method }: Question, { result, list }: Listed, context: GuardContext): Promise<Judged> {
    const { [list]: entries, ...rest } = result;
    const about = await this.#guard.input(resultText(rest), context);
    if (about.action !== 'allow') return { refused: about };
    const all: readonly unknown[] = Array.isArray(entries) ? entries : [];
    const decisions = await this.#descriptions.decideAll(all, context);
    const refused = new Map<unknown, Decision>();
    all.forEach((entry, at) => {
      const decision = decisions[at];
      if (decision !== undefined && decision.action !== 'allow') refused.set(nameOf(entry), decision);
    });
    if (method === 'tools/list') this.#remember(all, refused);
    // Of two with one name, the model could be shown the one and call the other.
    return { passed: { ...result, [list]: all.filter((entry) => !refused.has(nameOf(entry))) } };
  }

  #remember(tools: readonly unknown[], refused: ReadonlyMap<unknown, Decision>): void {
    for (const tool of tools) {
      const name = nameOf(tool);
      const decision = refused.get(name);
      if (decision === undefined) this.#poisoned.delete(name);
      else this.#poisoned.set(name, decision);
    }
  }
}

interface Listed {
  readonly result: JsonObject;
  readonly list: string;
}

/** Masked text cannot replace a message: any decision but an allow refuses it. */
function judged(decision: Decision, passed: JsonObject): Judged {
  return decision.action === 'allow' ? { passed } : { refused: decision };
}

function nameOf(entry: unknown): string {
  const { name, uri, uriTemplate } = objectOf(entry);
  return contentText(name ?? uri ?? uriTemplate ?? entry);
}
