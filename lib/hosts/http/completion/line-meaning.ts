/** Understands the lines of a room as the terminal does: short names of commands, and names and short ids of records. */
import { parseLine } from '../../../client/argv.ts';
import type { Listed } from '../../../client/completion/known-values.ts';
import { needsLookUp, withDeclaredNames } from '../../../client/names/aliases.ts';
import { fullName } from '../../../client/names/command-name.ts';
import { resolveNames } from '../../../client/names/names.ts';
import { withDashes } from '../../../client/names/spaced-name.ts';
import { PreconditionError } from '../../../core/errors.ts';
import type { Lookup } from '../../../runtime/arguments/builders.ts';
import type { Invocation, Pair } from '../../../runtime/arguments/lexer.ts';
import { type Command, findCommand, type Registry } from '../../../runtime/engine/command.ts';

type Context = Readonly<Record<string, unknown>>;

/** A line with its command; undefined if it is unknown. */
export interface TypedLine {
  readonly invocation: Invocation;
  readonly command: Command | undefined;
}

/** Parses a line, whose command and arguments may have short names. @throws ValidationError for a line that cannot be split */
export async function understood(line: string, registry: Registry, known?: Command): Promise<TypedLine> {
  const typed = parseLine(withDashes(line, registry));
  const name = fullName(typed.name, registry) ?? typed.name;
  const command = known ?? (await findCommand(registry, name));
  const invocation = { ...typed, name };
  return { command, invocation: command === undefined ? invocation : withDeclaredNames(invocation, command) };
}

export interface LineSources {
  readonly registry: Registry;
  readonly context: Context;
  readonly list: (lookup: Lookup, within: readonly Pair[]) => Promise<Listed>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Replaces the names and short ids of a line with ids. @throws PreconditionError, NotFoundError as the terminal does */
export function withRecordIds({ invocation, command }: TypedLine, sources: LineSources): Promise<Invocation> {
  if (command === undefined || !needsLookUp(invocation, command)) return Promise.resolve(invocation);
  return resolveNames(invocation, command, { ...sources, needsFull: false, note: () => undefined });
}

/** Reports whether a line only has a meaning after a look-up. */
export function namesRecords({ invocation, command }: TypedLine): boolean {
  return command !== undefined && needsLookUp(invocation, command);
}

/** Refuses a deletion without a question, unless its line has the full name of the command. @throws PreconditionError */
export function checkFullName(line: string, { name }: Command): void {
  if (parseLine(line).name === name) return;
  throw new PreconditionError(`A deletion without a question needs the full name of its command.`, {
    hint: `Write it with: !${name}`,
  });
}
