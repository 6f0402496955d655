/** Rejects values without a name: reports one problem for a line, with the line that was probably meant. */
import type { Problem } from '../../core/errors.ts';
import type { Argument, Arguments } from './builders.ts';
import { alternativesOf, GENERIC_NAMES } from './generic.ts';
import type { Invocation, Word } from './lexer.ts';
import { didYouMean } from './suggest.ts';

interface Declared {
  readonly name: string;
  readonly args: Arguments;
}

/** Maximum length: only the beginning of a longer text is shown. */
const MAX_SHOWN = 200;
const HINT = 'Write name=value, and quote a value with spaces: name="two words".';

/**
 * Gives the first value without a name to the argument that may be typed without its name; the others belong to no
 * argument.
 */
export function withPositionals({ args }: Declared, { pairs, positionals }: Invocation) {
  const unnamed = unnamedIn(args);
  // If the argument is also given by name, a bare word belongs to an unquoted value.
  const target = pairs.some(({ name }) => name === unnamed || isInstead(name, unnamed, args)) ? undefined : unnamed;
  const [first, ...others] = positionals;
  if (first === undefined || target === undefined) return { pairs, extras: positionals };
  return { pairs: [{ name: target, value: first }, ...pairs], extras: others };
}

/**
 * Rejects words that belong to no argument. @param isSecret whether the words may be part of an unquoted secret @param
 * problems the line's other problems; those that the corrected line would fix are left out
 */
export function withUnnamed(
  command: Declared,
  { words = [] }: Invocation,
  isSecret: boolean,
  extras: readonly string[],
  problems: readonly Problem[],
): readonly Problem[] {
  if (extras.length === 0) return problems;
  const shown = extras.slice(0, 5).map((extra) => `"${extra.slice(0, 60)}"`);
  const what = isSecret ? 'A value without a name' : shown.join(', ');
  const verb = isSecret || extras.length === 1 ? 'belongs' : 'belong';
  const message = `${what} ${verb} to no argument of ${command.name}.`;
  const meant = isSecret ? undefined : meantPairs(command.args, words);
  if (meant === undefined) return [{ message, hint: HINT }, ...problems];
  const line = [...meant].map(([name, value]) => `${name}=${quotedText(value)}`).join(' ');
  const hint = `Name each value, and quote a value with spaces: !${command.name} ${line}`;
  const isOpen = ({ argument }: Problem) =>
    argument === undefined ||
    !(isText(argument, command.args) || (Object.keys(command.args).indexOf(argument) >= 0 && meant.has(argument)));
  return [{ message, hint }, ...problems.filter(isOpen)];
}

function unnamedIn(args: Arguments): string | undefined {
  return Object.keys(args).filter((name) => args[name]?.positional === true)[0];
}

/** Reports whether the caller may give an argument instead of the default argument, which needs no name. */
function isInstead(name: string | undefined, unnamed: string | undefined, args: Arguments): boolean {
  return unnamed !== undefined && name !== undefined && args[unnamed]?.unless === name;
}

/** Assigns words to the arguments they were probably meant for. @returns undefined if that is not clear */
function meantPairs(args: Arguments, words: readonly Word[]): ReadonlyMap<string, string> | undefined {
  const first = unnamedIn(args);
  const unnamed = words.some(({ name }) => isInstead(name, first, args)) ? undefined : first;
  const isNamed = words.some(({ name }) => name !== undefined && name === first);
  const parts = new Map<string, string[]>();
  const loose: string[] = [];
  let before: string[] | undefined;
  for (const { name, value } of words) {
    const text = name === undefined ? String(value) : `${name}=${String(value)}`;
    // An option that has no effect here is not part of a text.
    if (/^--[a-z]/.test(text)) return undefined;
    if (name !== undefined && !isText(name, args)) {
      before = [...(parts.get(name) ?? []), String(value)];
      parts.set(name, before);
    } else if ((first !== undefined && !isNamed) || before === undefined) loose.push(text);
    else before.push(text);
  }
  const open = isNamed ? undefined : unnamed;
  const missing = missingIn(args, parts, loose.length > 0 ? open : undefined);
  const isEach = missing.length === loose.length;
  if (open === undefined && loose.length > 0 && !isEach) return undefined;
  missing.forEach((name, at) => {
    const joined = name === unnamed ? loose : [name.toUpperCase()];
    parts.set(name, isEach ? loose.slice(at, at + 1) : joined);
  });
  const all = [...parts];
  const isClear = all.every(([name, each]) => each.length < 2 || takesText(args[name]));
  const pairs = all.map(([name, each]): [string, string] => [name, each.join(' ')]);
  return isClear && pairs.every(([, text]) => !/[\n\r]|\$\{/.test(text)) ? new Map(pairs) : undefined;
}

/** Lists, in order, the required arguments that have no value, and the argument that takes words without a name. */
function missingIn(args: Arguments, given: ReadonlyMap<string, unknown>, unnamed: string | undefined): string[] {
  const isGiven = (name: string) => name === unnamed || given.has(name);
  return Object.keys(args).filter((name) => {
    const argument = args[name];
    if (name === unnamed || argument === undefined) return name === unnamed;
    return (
      argument.required === true && argument.default === undefined && ![name, ...alternativesOf(argument)].some(isGiven)
    );
  });
}

/** Reports whether `name=value` is part of a text: the command has no argument with that name or a similar name. */
function isText(name: string, args: Arguments): boolean {
  if (Object.keys(args).indexOf(name) >= 0 || GENERIC_NAMES.indexOf(name) >= 0) return false;
  return didYouMean(name, Object.keys(args)) === undefined;
}

function takesText(argument: Argument | undefined): boolean {
  if (argument === undefined || argument.kind !== 'text' || argument.choices !== undefined) return false;
  return argument.schema['format'] === undefined && argument.schema['pattern'] === undefined;
}

function quotedText(text: string): string {
  if (/^[\w@%+/=-]+$/.test(text)) return text;
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
  return `"${shown.replace(/["\\]/g, '\\$&')}"`;
}
