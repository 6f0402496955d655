/** A deletion is confirmed by a person, for these arguments alone; an agent answers only where no person can be asked. */
import type { Command } from '../../lib/command.ts';
import { type Confirmation, unconfirmed } from '../../lib/hosts/mcp/deletion.ts';
import type { ToolResult } from '../../lib/hosts/mcp/run-command.ts';
import { commandOf } from '../support/declared.ts';

const command: Command = commandOf('aisec-runtime-topics-delete');
const ARGS = { topic_id: '1' };
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

test('the question names the command, what it deletes, and what to do in doubt', () => {
  const { message, isAsked } = asked({});
  expect(isAsked).toBe(true);
  expect(message).toContain(`${command.summary} aisec-runtime-topics-delete {"topic_id":"1"}`);
  expect(asked({}, { topic_id: 'x'.repeat(5000) }).message).toContain('Decline if in doubt.');
});

test.each([
  { what: 'a yes to this question', answer: 'accept', isAsked: false },
  { what: 'an answer that is neither yes nor no', answer: undefined, isAsked: true },
] as const)('$what leaves it asked: $isAsked', ({ answer, isAsked }) => {
  expect(asked({ answer, seal: asked({}).seal }).isAsked).toBe(isAsked);
});

test.each([
  { what: 'to the deletion of something else', seal: () => asked({}, { topic_id: '2' }).seal },
  { what: 'with a seal that was made up', seal: () => 'x' },
  { what: 'without a seal', seal: () => undefined },
])('a yes $what confirms nothing', ({ seal }) => {
  expect(asked({ answer: 'accept', seal: seal() }).isAsked).toBe(true);
});

test('the agent cannot answer where a person can be asked', () => {
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
