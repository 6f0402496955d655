/** Decides about an unstreamed chat completion. */
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import type { Decision } from '../../types.ts';
import { decidedTexts } from '../values.ts';
import { refusedCall } from './chat-choice.ts';
import { FILTERED, inFormOf, type Judging, Rest, reasonIn, sorted, textIn } from './chat-members.ts';

/** The part of an object that may pass, or the decision that refuses it. */
interface Judged {
  readonly passed: JsonObject;
  readonly refused?: Decision | undefined;
  /** Whether a text in the part is masked: members that may repeat the text are then dropped. */
  readonly isMasked: boolean;
}

/**
 * Decides about all choices; in a blocked choice the guard's message replaces the original.
 * @returns the answer that may pass
 */
export async function guardedAnswer(
  answer: JsonObject,
  choices: readonly unknown[],
  judging: Judging,
): Promise<JsonObject> {
  const { passed } = await besides({ ...answer, choices: null }, false, judging);
  const all: JsonObject[] = [];
  for (const [at, choice] of choices.entries()) all.push(await guardedChoice(objectOf(choice), at, judging));
  return { ...passed, choices: all };
}

async function guardedChoice(choice: JsonObject, at: number, judging: Judging): Promise<JsonObject> {
  const { message, finish_reason: reason, index = at } = choice;
  const known = {
    ...(isObject(message) ? { message: null } : {}),
    ...(typeof reason === 'string' ? { finish_reason: null } : {}),
  };
  const judged = await judgedMessage(objectOf(message), judging);
  const { passed, refused = judged.refused } = await besides({ ...choice, ...known }, judged.isMasked, judging);
  if (refused !== undefined) {
    const replaced = { role: 'assistant', content: judging.guard.message(refused), refusal: null };
    return { index: Number(index), message: replaced, finish_reason: FILTERED };
  }
  return {
    ...passed,
    ...('message' in known ? { message: judged.passed } : {}),
    ...('finish_reason' in known ? { finish_reason: reasonIn(reason) ?? reason } : {}),
  };
}

async function judgedMessage(message: JsonObject, judging: Judging): Promise<Judged> {
  const { guard, context } = judging;
  const { role = null } = message;
  const { silent, texts, calls, rest } = sorted(role === null ? message : { ...message, role: 'assistant' });
  const shown: [string, unknown][] = [];
  let isMasked = false;
  for (const [name, value] of Object.entries(texts)) {
    const decision = await decidedTexts(guard, textIn(value) ?? [], context);
    if (decision.action === 'block') return { passed: {}, refused: decision, isMasked };
    isMasked ||= decision.action === 'mask';
    shown.push([name, decision.action === 'mask' ? inFormOf(value, decision.text ?? '') : value]);
  }
  const refused = await refusedCall(calls, guard, context);
  if (refused !== undefined) return { passed: {}, refused, isMasked };
  const held = new Rest(judging);
  held.add(rest);
  const kept = await held.end(isMasked);
  const members = { ...silent, ...Object.fromEntries(shown), ...calls, ...kept.passed };
  return { passed: inOrderOf(message, members), refused: kept.refused, isMasked };
}

/** Decides about unknown members; refused members become null. */
async function besides(owner: JsonObject, isMasked: boolean, judging: Judging): Promise<Judged> {
  const members = sorted(owner);
  const held = new Rest(judging);
  held.addOnce(members);
  const { passed, refused } = await held.end(isMasked);
  return { passed: inOrderOf(owner, { ...members.silent, ...passed }), refused, isMasked };
}

/** Returns members in their original order, so that an unchanged answer is identical. */
function inOrderOf(owner: JsonObject, members: JsonObject): JsonObject {
  const names = Object.keys(owner).filter((name) => Object.hasOwn(members, name));
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}
