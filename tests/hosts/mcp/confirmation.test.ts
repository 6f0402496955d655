/** A deletion is confirmed by a person, for these arguments alone; an agent answers only where no person can be asked. */
import type { Command } from '../../../lib/engine/command.ts';
import { type Confirmation, unconfirmed } from '../../../lib/hosts/mcp/deletion.ts';
import type { ToolResult } from '../../../lib/hosts/mcp/run-command.ts';
import { commandOf } from '../../support/declared.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const command: Command = commandOf('aisec-runtime-topics-delete');
const ARGS = { topic_id: '00000000-0000-4000-8000-000000000001' };
const NOBODY: Confirmation = { answer: undefined, seal: undefined, question: undefined };

/** Asks, and returns the question with its seal. */
function asked(confirmation: Partial<Confirmation>, args: object = ARGS, isConfirmed = false) {
  let [message, seal] = ['', ''];
  const question = (text: string, own: string): ToolResult => {
    [message, seal] = [text, own];
    return { content: [{ type: 'text', text }] };
  };
  const result = unconfirmed(command, { ...args }, isConfirmed, { ...NOBODY, question, ...confirmation });
  return { message, seal, isAsked: result !== undefined };
}

const refusal = (confirmation: Confirmation): unknown => {
  try {
    return unconfirmed(command, ARGS, false, confirmation);
  } catch (thrown) {
    return thrown;
  }
};

scenario('deletion-question', 'the question names the record, the command, and what to do in doubt', () => {
  const { message, isAsked } = asked({});
  expect(isAsked).toBe(true);
  expect(message).toBe(
    `Delete custom topic "${ARGS.topic_id}"? This is aisec-runtime-topics-delete. Decline if in doubt.`,
  );
});

scenario('deletion-question', 'arguments that the command refuses are refused before the question', () => {
  expect(() => asked({}, { ...ARGS, padding: 'x'.repeat(5000) })).toThrow('has no argument "padding"');
  expect(() => asked({}, {})).toThrow('topic_id');
});

test.each([
  { what: 'a yes to this question', answer: 'accept', isAsked: false },
  { what: 'an answer that is neither yes nor no', answer: undefined, isAsked: true },
] as const)('keeps the question open ($isAsked) after $what', ({ answer, isAsked }) => {
  expect(asked({ answer, seal: asked({}).seal }).isAsked).toBe(isAsked);
});

test.each([
  {
    what: 'to the deletion of something else',
    seal: () => asked({}, { topic_id: '00000000-0000-4000-8000-000000000002' }).seal,
  },
  { what: 'with a seal that was made up', seal: () => 'x' },
  { what: 'without a seal', seal: () => undefined },
])('a yes $what confirms nothing', ({ seal }) => {
  expect(asked({ answer: 'accept', seal: seal() }).isAsked).toBe(true);
});

test('the agent cannot answer if a person can be asked', () => {
  expect(asked({}, ARGS, true).isAsked).toBe(true);
  expect(unconfirmed(command, ARGS, true, NOBODY)).toBeUndefined();
});

test.each([
  {
    what: 'a no',
    confirmation: { ...NOBODY, answer: 'decline' as const },
    message: 'The person declined: nothing was deleted.',
  },
  {
    what: 'no confirmation',
    confirmation: NOBODY,
    message: 'aisec-runtime-topics-delete deletes something, and was not confirmed: nothing was deleted.',
  },
])('$what is an error that names the command', ({ confirmation, message }) => {
  expect(refusal(confirmation)).toMatchObject({ code: 'usage', message, command: 'aisec-runtime-topics-delete' });
});
