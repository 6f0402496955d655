/**
 * Sits in front of an endpoint for OpenAI's chat completions: a `fetch` handler for any server that has `Request` and
 * `Response`. Decides about the prompt before the model is called, and about the answer before it passes.
 */
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { claimsUtf8 } from '../../../core/text/charset.ts';
import { decideDescriptions, maskedPrompt } from '../../conversation.ts';
import { blockedIfMasked } from '../../decisions.ts';
import { decodedIf } from '../../readable.ts';
import type { Guard, GuardContext, Message } from '../../types.ts';
import { contextWith } from '../values.ts';
import { bodyText, type Chunks, hasEvents, JSONS, MAX_BYTES, promptIn, writtenAs } from './answer.ts';
import { guardedAnswer } from './chat-answer.ts';
import { guardedChatEvents } from './chat-events.ts';
import { type Judging, readableError } from './chat-members.ts';
import { bodyOf } from './sse.ts';

export interface ChatOptions {
  /** The model's address, such as `https://api.openai.com/v1`; requests go to `/chat/completions` below it. */
  readonly upstream: string;
  /** Calls the model. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: ChatRequestInit) => Promise<Response>;
  /** Returns a request's session, turn and user, from its headers and parsed body. */
  readonly context?: (request: Request, body: JsonObject) => GuardContext;
}

/** The request to the model. */
export interface ChatRequestInit {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  /** Aborts when the client leaves or the answer is cut off. */
  readonly signal: AbortSignal;
}

const PATH = '/chat/completions';
const JSON_TYPE = 'application/json';
/** Client headers that are forwarded to the model. */
const ASKED_WITH = ['authorization', 'openai-organization', 'openai-project'];
/** Headers of a model error that are forwarded to the client. */
const FAILED_WITH = ['retry-after', 'retry-after-ms'];
/** Refusal causes that the caller has to fix. */
const CALLERS: readonly unknown[] = [undefined, 'unreadable'];

/**
 * Guards chat completions, plain and with `stream: true`. A blocked prompt is answered with 400 and the code
 * `content_filter`, or 503 without a verdict; a blocked answer ends with the finish reason `content_filter`, and so
 * do all choices of a stream.
 * @returns a handler that answers every request, with 404 outside `.../chat/completions`
 * @throws TypeError if the model's address is missing; a call throws whatever `context` throws
 */
export function guardChat(guard: Guard, options: ChatOptions): (request: Request) => Promise<Response> {
  const upstream: unknown = isObject(options) ? options.upstream : undefined;
  if (typeof upstream !== 'string' || !/^https?:\/\/[^/?#]+[^?#]*$/i.test(upstream))
    throw new TypeError('guardChat needs the model address: guardChat(guard, { upstream: "https://host/v1" }).');
  const url = upstream.replace(/\/+$/, '') + PATH;
  return async (request) => {
    if (request.method !== 'POST' || !new URL(request.url).pathname.endsWith(PATH))
      return problem(404, 'not_found', `Use POST ${PATH}.`);
    const asked = await askedBy(request);
    if (asked instanceof Response) return asked;
    const { body } = asked;
    const asking = new AbortController();
    const stop = () => asking.abort();
    const signal = AbortSignal.any([request.signal, asking.signal]);
    const context = contextWith(options.context?.(request, body), signal);
    const tool = await refusedTool(guard, body, context);
    const { messages, refused } = tool === undefined ? await judgedPrompt(guard, body, context) : { refused: tool };
    if (refused !== undefined)
      return problem(CALLERS.includes(refused.unscanned) ? 400 : 503, 'content_filter', guard.message(refused));
    // Log probabilities repeat the text of the answer in pieces.
    const members = Object.entries({ ...body, messages }).filter(([name]) => !name.endsWith('logprobs'));
    const sent = writtenAs(asked.text, body, Object.fromEntries(members));
    const headers = { ...picked(request.headers, ASKED_WITH), 'content-type': JSON_TYPE };
    const ask = options.fetch ?? fetch;
    try {
      const model = await ask(url, { method: 'POST', headers, body: sent, signal });
      return await answerOf(model, { guard, context, stop, isStream: body['stream'] === true });
    } catch {
      stop();
      return problem(502, 'bad_gateway', 'The model cannot be reached, or its answer cannot be read.');
    }
  };
}

interface Answering extends Judging {
  readonly stop: () => void;
  readonly isStream: boolean;
}

/** @throws Error if the answer cannot be read */
async function answerOf(model: Response, { isStream, stop, ...answering }: Answering): Promise<Response> {
  const type = model.headers.get('content-type') ?? '';
  const hasJson = JSONS.test(type);
  if (model.body === null || !claimsUtf8(type)) throw new Error('The answer is empty or not UTF-8.');
  if (model.ok && (hasEvents({ type, encoding: '' }) || (isStream && !hasJson))) {
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
    return new Response(bodyOf(guardedChatEvents(model.body, answering), stop), { headers });
  }
  const text = await bodyText(model.body);
  if (text === undefined) throw new Error('The answer is too long.');
  const answer = objectOf(decodedIf(text));
  const { choices } = answer;
  if (model.ok && Array.isArray(choices))
    return json(200, writtenAs(text, answer, await guardedAnswer(answer, choices, answering)));
  const error = await readableError(answer, answering);
  return json(model.status < 400 ? 502 : model.status, JSON.stringify({ error }), picked(model.headers, FAILED_WITH));
}

/** Decides about tool descriptions: they may come from third parties, and the model reads them. */
async function refusedTool(guard: Guard, { tools, functions }: Body, context: GuardContext) {
  const lists: unknown[] = [tools, functions].filter(Array.isArray);
  const decisions = await decideDescriptions(guard, lists.flat(), context);
  return decisions.find(({ action }) => action !== 'allow');
}

/** Decides about a prompt. Maskable data is masked; other blocked content must not reach the model. */
async function judgedPrompt(guard: Guard, { messages: given }: Body, context: GuardContext) {
  const { messages, refused } = await maskedPrompt(guard, given, context);
  const decision = refused ?? blockedIfMasked(await guard.input(messages, context));
  return { messages, refused: decision.action === 'allow' ? undefined : decision };
}

type Body = JsonObject & { readonly messages: readonly Message[] };

/** Reads a request. @returns its body, or the response that refuses it */
async function askedBy(request: Request): Promise<{ readonly text: string; readonly body: Body } | Response> {
  const tooLong = () => problem(413, 'too_long', `The request is longer than ${MAX_BYTES} bytes.`);
  // Not reading the body at all keeps the connection usable.
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BYTES) return tooLong();
  const chunks = (request.body ?? []) as Chunks;
  const isUtf8 = claimsUtf8(request.headers.get('content-type') ?? '');
  const text = isUtf8 ? await bodyText(chunks).catch(() => '') : '';
  if (text === undefined) return tooLong();
  const body = objectOf(decodedIf(text));
  const messages = promptIn(body['messages']);
  if (!Array.isArray(messages) || messages.length === 0)
    return problem(
      400,
      'invalid_request',
      'The request must be a JSON object in UTF-8 with messages, each with a role.',
    );
  return { text, body: body as Body };
}

function picked(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => names.includes(name)));
}

function json(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { ...headers, 'content-type': JSON_TYPE } });
}

/** An error in OpenAI's format. */
function problem(status: number, code: string, message: string): Response {
  return json(status, JSON.stringify({ error: { message, type: 'guard', param: null, code } }));
}
