/** Suggests an argument in place of an unknown option: `limit=5` for `--limit 5`. */
import { AisecError } from '../../../core/errors.ts';
import { findCommand, type Registry } from '../../../engine/command.ts';
import type { Dialect } from '../options/shell.ts';
import { quoted } from '../options/shell.ts';
import { declaredName } from './aliases.ts';
import { firstWord, fullName } from './command-name.ts';

/**
 * Adds the hint to the error of an unknown option, if the command of the line has an argument of that name.
 * @param words of the line, the option and its value among them
 */
export async function withArgumentHint(
  thrown: unknown,
  words: readonly string[],
  registry: Registry,
  dialect: Dialect,
): Promise<unknown> {
  const option = thrown instanceof AisecError ? thrown.argument : undefined;
  if (!(thrown instanceof AisecError) || option?.startsWith('--') !== true) return thrown;
  const name = words.map((word) => fullName(firstWord(word), registry)).find((found) => found !== undefined);
  const args = name === undefined ? undefined : (await findCommand(registry, name))?.args;
  if (args === undefined) return thrown;
  const typed = option.slice(2).replace(/-/g, '_');
  const argument = args[declaredName(typed, args)];
  // A secret on the command line can be read by every user of the machine.
  if (argument === undefined || argument.secret === true) return thrown;
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  const word = words[at] ?? '';
  const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[at + 1];
  const isValue = value !== undefined && !value.startsWith('-') && argument.content !== true;
  const shown = isValue ? value : argument.kind === 'flag' ? 'true' : '...';
  thrown.hint = `It is an argument, which has no dashes: ${quoted(`${typed}=${shown}`, dialect)}`;
  return thrown;
}
