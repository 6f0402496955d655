/** Finds what is new in a conversation, so that no turn is scanned and billed twice. */
import type { Message } from './types.ts';

/** Roles of the developer, whose instructions are trusted. An unknown role is scanned. */
const TRUSTED = ['system', 'developer'];
const MODEL = ['assistant', 'ai', 'model'];

/** Returns true for a message that comes from outside: neither from the developer nor from the model. */
export function isForeign({ role }: Message): boolean {
  return !TRUSTED.includes(role) && !MODEL.includes(role);
}

/** Returns the messages after the model's last complete answer: the user's turn and results of tools, not the developer's. */
export function newMessages<Each extends Message>(messages: readonly Each[]): readonly Each[] {
  const isModel = (at: number) => MODEL.includes(messages[at]?.role ?? '');
  let first = messages.length;
  // The end of a conversation that the model continues is the start of its answer, and no answer to the turn before it.
  while (first > 0 && isModel(first - 1)) first -= 1;
  while (first > 0 && !isModel(first - 1)) first -= 1;
  return messages.slice(first).filter(({ role }) => !TRUSTED.includes(role));
}
