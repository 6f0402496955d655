/** Binds the answer to a deletion's question to what the question named: its line may refer to a context that changes. */
import { createHash } from 'node:crypto';
import { PreconditionError } from '../../../core/errors.ts';
import { readArguments } from '../../../runtime/arguments/read.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { TypedLine } from './line-meaning.ts';

/** Returns the seal of a deletion. @param typed as `readArguments` returns them */
export function sealOf({ name }: Command, typed: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify([name, typed]))
    .digest('base64url');
}

/** Checks that a line does in this context what was confirmed. @throws PreconditionError */
export function checkSeal(seal: string, { invocation, command }: TypedLine, context: unknown): void {
  if (command !== undefined) {
    const { typed } = readArguments(command, invocation, { context });
    if (seal === sealOf(command, typed)) return;
  }
  throw new PreconditionError('The line means something else now than when it was confirmed: nothing was deleted.', {
    hint: 'A value of the context has changed. Run the line again, and read its question.',
  });
}
