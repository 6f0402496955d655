/** The members of answers of chat completions, by how they are decided about. */
import { isObject, objectOf } from '../../../core/json.ts';
import { contentText } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { NAME } from './chat-calls.ts';
import type { Place, RawJson } from './raw-json.ts';

export interface Judging {
  readonly guard: Guard;
  readonly context: GuardContext;
}

/** The finish reason of an answer that is blocked. */
export const FILTERED = 'content_filter';
/** Members of an answer, or of a chunk, with an identifier or a closed word. */
export const IDS = ['id', 'object', 'model', 'service_tier', 'system_fingerprint'];
/** Members that repeat the text of an answer in pieces, or fill a chunk up. */
const DROPPED = ['logprobs', 'obfuscation'];

/** Returns true for a value that says nothing: a number, a switch, or an identifier where it belongs. */
function isSilent(name: string, place: Place): boolean {
  const { value, isText } = place;
  if (name === 'usage') return hasNoText(place);
  if (isText) return value === '' || (IDS.includes(name) && NAME.test(String(value)));
  return typeof value !== 'object' || value === null;
}

function hasNoText({ isText, members }: Place): boolean {
  return !isText && [...members.values()].every(hasNoText);
}

/** Returns the members that have to be decided about; takes out what repeats the answer. */
export function saying(json: RawJson, place: Place, known: readonly string[]): readonly (readonly [string, Place])[] {
  return [...place.members].filter(([name, member]) => {
    if (DROPPED.includes(name)) json.drop(member);
    return !DROPPED.includes(name) && !known.includes(name) && !isSilent(name, member);
  });
}

/** Returns the texts of a member that its reader joins: of a text, or of parts with nothing but a text. */
export function textsIn(place: Place): readonly Place[] | undefined {
  if (place.isText) return [place];
  if (!Array.isArray(place.value)) return undefined;
  const texts = [...place.members.values()].map(({ members }) => {
    const isPart = members.size === 2 && members.get('type')?.value === 'text';
    const text = isPart ? members.get('text') : undefined;
    return text?.isText === true ? text : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Reads a member that is neither a text nor a call, such as an audio with its transcript. */
export function restText(name: string, value: unknown): string {
  return contentText(name === 'audio' && isObject(value) ? [{ ...value, type: 'audio' }] : value);
}

/** Returns the reason of an end as it may pass; undefined before the end. Some models have an empty one in each chunk. */
export function reasonIn(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '' || value === 'null') return undefined;
  return typeof value === 'string' && NAME.test(value) ? value : 'stop';
}

/** Returns an error of a model without anything that it may have written: its message is scanned, codes are names. */
export async function readableError(body: unknown, { guard, context }: Judging): Promise<object> {
  const { error: given, message: told, detail } = objectOf(body);
  const error = objectOf(given);
  const texts = [error['message'], given, told, detail];
  const said = texts.find((each): each is string => typeof each === 'string') ?? 'The model has no answer.';
  const decision: Decision = await guard.output(said, context);
  const message = decision.action === 'allow' ? said : (decision.text ?? guard.message(decision));
  const named = (name: string) => (NAME.test(String(error[name] ?? '')) ? error[name] : null);
  return { message, type: named('type'), param: named('param'), code: named('code') };
}
