/** Suggests an argument instead of an unknown option: `limit=5` for `--limit 5`. */

import { declaredName } from '../../../../client/names/aliases.ts';
import { spelledCommand } from '../../../../client/names/spaced-name.ts';
import { AisecError, UsageError } from '../../../../core/errors.ts';
import type { Argument, Arguments } from '../../../../runtime/arguments/builders.ts';
import { tokenize } from '../../../../runtime/arguments/lexer.ts';
import { suggest } from '../../../../runtime/arguments/suggest.ts';
import { findCommand, type Registry } from '../../../../runtime/engine/command.ts';
import { type Dialect, quoted } from '../../ui/shell.ts';
import { COMMAND_OPTIONS } from '../options.ts';

const OPTION = /^--?[a-z][\w-]*/i;

/**
 * Adds the hint to the error for an unknown option, if the line's command has an argument with that name. @param words
 * of the line, including the option and its value
 */
export async function withArgumentHint(
  thrown: unknown,
  words: readonly string[],
  registry: Registry,
  dialect: Dialect,
): Promise<unknown> {
  const option = thrown instanceof AisecError ? thrown.argument : undefined;
  if (!(thrown instanceof AisecError) || option === undefined || !OPTION.test(option)) return thrown;
  const args = await argumentsIn(words, registry);
  // A similar option is more likely meant than a similar argument.
  const name = args === undefined ? undefined : argumentNamed(option, args, thrown.hint === undefined);
  if (args !== undefined && name !== undefined) thrown.hint = hintOf(option, name, args, words, dialect);
  return thrown;
}

/**
 * Returns the error for an option in a line of a pipe or of the war room, if the command has an argument with that
 * name. @param line as typed, or its words
 */
export async function optionInLine(
  line: string | readonly string[],
  registry: Registry,
  dialect: Dialect,
): Promise<UsageError | undefined> {
  const words = typeof line === 'string' ? wordsIn(line) : line;
  const args = await argumentsIn(words, registry);
  // Such an argument accepts any text.
  if (args === undefined || Object.values(args).some(({ positional, content }) => positional && content))
    return undefined;
  // A word may be part of an unquoted secret.
  const mayBeNear = Object.values(args).every(({ secret }) => secret !== true);
  for (const word of words) {
    const option = OPTION.exec(word)?.[0];
    const name = option === undefined ? undefined : argumentNamed(option, args, mayBeNear);
    if (option === undefined) continue;
    if (name === undefined && Object.hasOwn(COMMAND_OPTIONS, option.slice(2))) return notInLine(option);
    if (name === undefined) continue;
    const hint = hintOf(option, name, args, words, dialect);
    return new UsageError(`Unknown option ${option}.`, { hint, argument: option });
  }
  return undefined;
}

function notInLine(option: string): UsageError {
  const hint = `Give it to the program, for all lines: aisec ${option}${COMMAND_OPTIONS[option.slice(2)]?.kind === 'flag' ? '' : ' ...'}`;
  return new UsageError(`Option ${option} is not allowed in this line.`, { hint, argument: option });
}

function wordsIn(line: string): string[] {
  try {
    return tokenize(line).map(({ name, value }) => (name === undefined ? value : `${name}=${value}`));
  } catch {
    // The line's parser reports the problem.
    return [];
  }
}

async function argumentsIn(words: readonly string[], registry: Registry): Promise<Arguments | undefined> {
  for (const at of words.keys()) {
    const spelled = spelledCommand(
      (words[at] ?? '')
        .trim()
        .split(/\s+/)
        .concat(words.slice(at + 1)),
      registry,
    );
    if (spelled !== undefined) return (await findCommand(registry, spelled.name))?.args;
  }
  return undefined;
}

/** Returns the argument name that matches an option: the same name, its short name, or a similar name. */
function argumentNamed(option: string, args: Arguments, mayBeNear: boolean): string | undefined {
  const typed = option.replace(/^--?/, '').replace(/-/g, '_');
  const near = mayBeNear && typed.length > 1 ? suggest(typed, Object.keys(args)) : undefined;
  return [typed, near].find((name) => {
    const argument = name === undefined ? undefined : args[declaredName(name, args)];
    // A secret on the command line can be read by every user of the machine.
    return argument !== undefined && argument.secret !== true;
  });
}

function hintOf(option: string, name: string, args: Arguments, words: readonly string[], dialect: Dialect): string {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  const word = words[at] ?? '';
  const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[at + 1];
  const { kind, content }: Partial<Argument> = args[declaredName(name, args)] ?? {};
  const isValue = value !== undefined && !value.startsWith('-') && content !== true;
  const shown = isValue ? value : kind === 'flag' ? 'true' : '...';
  const pair = dialect === 'room' ? `${name}=${quoted(shown, dialect)}` : quoted(`${name}=${shown}`, dialect);
  return `It is an argument, which has no dashes: ${pair}`;
}
