/** Confirms deletions: asks the person if the client can, and otherwise requires `confirm` from the agent. */
import { createHmac, randomBytes } from 'node:crypto';
import { invocationOf } from '../../client/invocation.ts';
import { UsageError } from '../../core/errors.ts';
import { readArguments } from '../../runtime/arguments/read.ts';
import type { Command } from '../../runtime/engine/command.ts';
import { deletionOf } from '../../runtime/engine/deletion.ts';
import { inert, plain } from './content.ts';
import type { ToolResult } from './run-command.ts';

/** How the client asks a person. */
export interface Confirmation {
  /** The answer that came with this request. */
  readonly answer: 'accept' | 'decline' | undefined;
  /** The seal of the question that was answered. */
  readonly seal: string | undefined;
  /** Creates the question; undefined if the client cannot ask. */
  readonly question: ((message: string, seal: string) => ToolResult) | undefined;
}

/** Random for each process, so that only this process can seal its questions. */
const KEY = randomBytes(32);

/**
 * Asks for confirmation.
 * @returns the question, or undefined if the deletion is confirmed
 * @throws UsageError if it is not confirmed, and the client cannot ask; ValidationError for arguments that the command
 * refuses, before the question
 */
export function unconfirmed(
  command: Command,
  args: Readonly<Record<string, unknown>>,
  isConfirmed: boolean,
  { answer, seal, question }: Confirmation,
): ToolResult | undefined {
  const { name } = command;
  if (answer === 'decline') throw new UsageError('The person declined: nothing was deleted.', { command: name });
  if (question === undefined) {
    if (isConfirmed) return undefined;
    throw new UsageError(`${name} deletes something, and was not confirmed: nothing was deleted.`, {
      command: name,
      hint: 'Ask the person, and call again with confirm: true.',
    });
  }
  // If the client can ask the person, the agent cannot answer itself or reuse a yes to another question.
  const wanted = JSON.stringify(args);
  const own = createHmac('sha256', KEY).update(`${name} ${wanted}`).digest('base64url');
  if (answer === 'accept' && seal === own) return undefined;
  // List arguments in declaration order: an agent could put a long argument before the identifier.
  const { typed } = readArguments(command, invocationOf(name, args), {});
  const message = `${deletionOf(command, typed)}? This is ${name}. Decline if in doubt.`;
  return question(inert(plain(message)), own);
}
