/** Names the list command in the hint of an error that says that a record does not exist. */
import type { Lookup } from '../../../arguments/builders.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import { type AisecError, NotFoundError } from '../../../core/errors.ts';
import type { Command } from '../../../engine/command.ts';
import { withNamedValues } from '../input/invocation.ts';

/** The words of the library, which does not know how a host writes a command: `the list command`, `the topics list command`. */
const LIST_COMMAND = /the ((?:(?!the )[\w-]+ )*)list command/;

/** The line that failed. */
interface FailedLine {
  readonly command: Command;
  readonly invocation: Invocation;
  /** Names of all commands. */
  readonly names: readonly string[];
}

/** Replaces the words "the list command" by the command that lists the records of the line. */
export function withListCommand(thrown: AisecError, line: FailedLine): AisecError {
  if (!(thrown instanceof NotFoundError)) return thrown;
  thrown.hint = thrown.hint?.replace(LIST_COMMAND, (words, kind: string) => {
    const name = listOf(line, kind);
    return name === undefined ? words : `!${name}`;
  });
  return thrown;
}

function listOf({ command, invocation, names }: FailedLine, kind: string): string | undefined {
  const typed = withNamedValues(invocation, command).pairs;
  const lookups = typed.flatMap(({ name }) => command.args[name]?.lookup ?? []);
  const isMeant = ({ noun }: Lookup) => kind.includes(noun.replace(/_/g, ' '));
  // A record inside another one is more likely to be missing than its owner.
  const found = lookups.find((lookup) => kind !== '' && isMeant(lookup)) ?? lookups.at(-1);
  const sibling = command.name.replace(/-[a-z]+$/, '-list');
  return found?.command ?? names.find((name) => name === sibling && name !== command.name);
}
