/** Decides about a plain answer of chat completions, and about what a model says in place of an answer. */
import { type JsonObject, objectOf, objectsOf } from '../../../core/json.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { decisionAboutCall, NAME } from './chat-calls.ts';

export interface Judging {
  readonly guard: Guard;
  readonly context: GuardContext;
}

/** Members of an answer, or of a chunk, without text of the model. All others are dropped. */
const METADATA = ['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint', 'usage'];
export const FILTERED = 'content_filter';

/** Returns the members of an answer that say nothing of its text. */
export function metadataOf(answer: JsonObject): JsonObject {
  return Object.fromEntries(METADATA.flatMap((name) => (name in answer ? [[name, answer[name]]] : [])));
}

/** Returns the texts of a message or a delta by name, such as `content`, `reasoning_content` and `refusal`. */
export function textsOf(message: JsonObject): readonly (readonly [name: string, text: string])[] {
  return Object.entries(message).flatMap(([name, value]) =>
    name !== 'role' && typeof value === 'string' ? [[name, value] as const] : [],
  );
}

/** Returns a finish reason; null before the end. */
export function reasonIn(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return NAME.test(String(value)) ? String(value) : 'stop';
}

/** Decides about all choices; a blocked one has the guard's message in place of its own. */
export async function guardedAnswer(answer: JsonObject, judging: Judging): Promise<JsonObject> {
  const choices: JsonObject[] = [];
  for (const [at, choice] of objectsOf(answer['choices']).entries()) {
    const index = typeof choice['index'] === 'number' ? choice['index'] : at;
    const judged = await guardedMessage(objectOf(choice['message']), judging);
    if ('message' in judged)
      choices.push({ index, message: judged.message, finish_reason: reasonIn(choice['finish_reason']) ?? 'stop' });
    else {
      const content = judging.guard.message(judged.refused);
      choices.push({ index, message: { role: 'assistant', content, refusal: null }, finish_reason: FILTERED });
    }
  }
  return { ...metadataOf(answer), choices };
}

type Judged = { readonly message: JsonObject } | { readonly refused: Decision };

async function guardedMessage(message: JsonObject, { guard, context }: Judging): Promise<Judged> {
  const passed: Record<string, unknown> = { role: 'assistant', content: null };
  for (const [name, text] of textsOf(message)) {
    const decision = await guard.output(text, context);
    if (decision.action === 'block') return { refused: decision };
    passed[name] = decision.action === 'mask' ? (decision.text ?? '') : text;
  }
  const calls = objectsOf(message['tool_calls']);
  for (const call of calls) {
    const decision = await decisionAboutCall(guard, call, context);
    if (decision.action !== 'allow') return { refused: decision };
  }
  return { message: calls.length === 0 ? passed : { ...passed, tool_calls: calls } };
}

/** Returns an error of a model without anything that it may have written: its message is scanned, codes are names. */
export async function readableError(body: JsonObject | undefined, { guard, context }: Judging): Promise<JsonObject> {
  const error = objectOf(body?.['error']);
  const texts = [error['message'], body?.['error'], body?.['message'], body?.['detail']];
  const said = texts.find((each): each is string => typeof each === 'string') ?? 'The model has no answer.';
  const decision = await guard.output(said, context);
  const message = decision.action === 'allow' ? said : (decision.text ?? guard.message(decision));
  const named = (name: string) => (NAME.test(String(error[name] ?? '')) ? error[name] : null);
  return { message, type: named('type'), param: named('param'), code: named('code') };
}
