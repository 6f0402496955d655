/** Tells the texts in messages of the Claude Agent SDK from the words of its protocol. */
import { objectOf } from '../../../core/json.ts';
import { isSign as isKnownSign, type Values, withoutSigns } from '../texts.ts';

/** Members with values of the protocol. */
const OWN = new Set(['message', 'delta', 'event']);

export function isSign(member: string, value: unknown): boolean {
  if (member === 'usage' || member === 'modelUsage') return withoutSigns(value, isKnownSign) === undefined;
  // Reasoning that only the provider can read.
  return isKnownSign(member === 'data' ? 'encrypted' : member, value);
}

/** Returns the blocks of a message; a message in another form has none. */
export function blocksOf({ message }: Values): readonly Values[] {
  const { content } = objectOf(message);
  return Array.isArray(content) ? content.map(objectOf) : [];
}

/** Returns the calls in a message that have an input; a result lists those that were refused. */
export function callsIn(message: Values): readonly Values[] {
  const { permission_denials: denials } = message;
  const refused = Array.isArray(denials) ? denials.map(objectOf) : [];
  const calls = refused.map(({ tool_name: name, tool_input: input }): Values => ({ name, input }));
  return [...blocksOf(message), ...calls].filter(({ input = {} }) => input !== null && JSON.stringify(input) !== '{}');
}

/** Returns what has to be scanned of a message: its texts, which a reader joins behind an earlier text, and all else. */
export function contentOf({ result, ...message }: Values, blocks: readonly unknown[], earlier: string): unknown {
  const { content: _, ...rest } = objectOf(message['message']);
  const others = blocks.length === 0 ? message : { ...message, message: rest };
  const texts = [earlier, result, ...blocks.map((block) => withoutSigns(block, isSign, OWN))];
  return [texts, withoutSigns(others, isSign, OWN)];
}
