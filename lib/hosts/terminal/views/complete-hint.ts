/** Gives the commands of a hint the arguments that the failed line had, so that they can be run as they stand. */
import type { Argument } from '../../../arguments/builders.ts';
import type { Invocation, Pair } from '../../../arguments/lexer.ts';
import { type Command, findCommand, type Registry } from '../../../engine/command.ts';
import { withNamedValues } from '../input/invocation.ts';
import { quoted } from '../options/shell.ts';

/** A command without arguments. */
const BARE = /!(aisec-[a-z0-9-]*[a-z0-9])(?! [A-Za-z][\w-]*=)/g;

/** The line that failed. */
export interface FailedLine {
  readonly command: Command;
  readonly invocation: Invocation;
  readonly registry: Registry;
}

/** Adds the required arguments that the failed line knows. Secrets and content are not repeated. */
export async function withArguments(hint: string, line: FailedLine): Promise<string> {
  const names = [...new Set([...hint.matchAll(BARE)].map(([, name = '']) => name))];
  const written = new Map<string, string>();
  for (const name of names) written.set(name, await argumentsOf(name, line));
  return hint.replace(BARE, (found, name: string) => found + (written.get(name) ?? ''));
}

async function argumentsOf(name: string, { command, invocation, registry }: FailedLine): Promise<string> {
  const next = await findCommand(registry, name);
  if (next === undefined) return '';
  const known = givenIn(invocation, command);
  return Object.entries(next.args)
    .filter(([, argument]) => argument.required === true && isPlain(argument))
    .flatMap(([argument, declared]) => {
      const same = known.find((pair) => pair.name === argument && meansSame(command.args[pair.name], declared));
      const found = same ?? known.find((pair) => isSameRecord(command.args[pair.name], declared));
      return found === undefined ? [] : [` ${argument}=${quoted(String(found.value), 'room')}`];
    })
    .join('');
}

/** Returns the values of a line that may be repeated. */
function givenIn(invocation: Invocation, command: Command): Pair[] {
  return withNamedValues(invocation, command).pairs.filter(({ name, value }) => {
    const argument = command.args[name];
    return argument !== undefined && isPlain(argument) && typeof value === 'string' && !/[\n\r]|\$\{/.test(value);
  });
}

function isPlain({ secret, content }: Argument): boolean {
  return secret !== true && content !== true;
}

/** `uuid` of one command may be a target, and of another a prompt set. */
function meansSame(given: Argument | undefined, wanted: Argument): boolean {
  return given?.lookup?.command === wanted.lookup?.command && given?.lookup?.takes === wanted.lookup?.takes;
}

function isSameRecord(given: Argument | undefined, wanted: Argument): boolean {
  return given?.lookup !== undefined && meansSame(given, wanted) && given.lookup.noun === wanted.lookup?.noun;
}
