/**
 * Completes the hint of a failed line with similar names, the command that lists the records, and the line's own
 * arguments, so that suggested commands can be run unchanged.
 */

import type { Listed } from '../../../client/completion/known-values.ts';
import { nearName, seeList } from '../../../client/names/match-name.ts';
import { withNamedValues } from '../../../client/names/values.ts';
import { type AisecError, NotFoundError, type Problem, RefusedError, ValidationError } from '../../../core/errors.ts';
import type { Argument, Lookup } from '../../../runtime/arguments/builders.ts';
import { alternativesOf } from '../../../runtime/arguments/generic.ts';
import type { Invocation, Pair } from '../../../runtime/arguments/lexer.ts';
import { type Command, findCommand, type Registry } from '../../../runtime/engine/command.ts';
import { quoted } from '../ui/shell.ts';

/** The line that failed. */
export interface FailedLine {
  readonly command: Command;
  readonly invocation: Invocation;
  readonly registry: Registry;
}

/**
 * Puts the most similar names before a hint, after the service reported that a named record does not exist. @param list
 * lists the records; if it fails, there is no suggestion
 */
export async function withNearNames(
  error: AisecError,
  { command, invocation }: Pick<FailedLine, 'command' | 'invocation'>,
  list: (lookup: Lookup) => Promise<Listed>,
): Promise<string | undefined> {
  if (!(error instanceof NotFoundError || error instanceof RefusedError)) return error.hint;
  const near: string[] = [];
  for (const { name, value } of withNamedValues(invocation, command).pairs) {
    const lookup = command.args[name]?.lookup;
    if (lookup?.takes !== 'name' || typeof value !== 'string' || value === '' || value.includes('${')) continue;
    const values = await list(lookup).then(
      (listed) => listed.values,
      () => [],
    );
    const found = values.some((each) => each.name === value) ? undefined : nearName(value, values);
    if (found !== undefined) near.push(`${name}: ${found}`);
  }
  return near.length === 0 ? error.hint : [...near, error.hint].filter((part) => part !== undefined).join(' ');
}

/**
 * The library's wording, because it does not know how a host writes a command: `the list command`, `the topics list
 * command`.
 */
const LIST_COMMAND = /the ((?:(?!the )[\w-]+ )*)list command/;

/** Replaces the words "the list command" with the command that lists the line's records. */
export function withListCommand(thrown: AisecError, line: FailedLine): AisecError {
  if (!(thrown instanceof NotFoundError)) return thrown;
  thrown.hint = thrown.hint?.replace(LIST_COMMAND, (words, kind: string) => {
    const name = listOf(line, kind);
    return name === undefined ? words : `!${name}`;
  });
  return thrown;
}

function listOf({ command, invocation, registry }: FailedLine, kind: string): string | undefined {
  const typed = withNamedValues(invocation, command).pairs;
  const lookups = typed.flatMap(({ name }) => command.args[name]?.lookup ?? []);
  const isMeant = ({ noun }: Lookup) => kind.includes(noun.replace(/_/g, ' '));
  // A nested record is more likely to be missing than its owner.
  const found = lookups.find((lookup) => kind !== '' && isMeant(lookup)) ?? lookups.at(-1);
  const sibling = command.name.replace(/-[a-z]+$/, '-list');
  return found?.command ?? (sibling !== command.name && Object.hasOwn(registry, sibling) ? sibling : undefined);
}

/** A command without arguments. */
const BARE = /!(aisec-[a-z0-9-]*[a-z0-9])(?! [A-Za-z][\w-]*=)/g;

/** Adds required arguments that the failed line already has. Secrets and content are not repeated. */
export async function withArguments(hint: string, line: FailedLine): Promise<string> {
  const names = [...new Set([...hint.matchAll(BARE)].map(([, name = '']) => name))];
  const written = new Map<string, string>();
  for (const name of names) written.set(name, await argumentsOf(name, line));
  return hint.replace(BARE, (found, name: string) => found + (written.get(name) ?? ''));
}

async function argumentsOf(name: string, { command, invocation, registry }: FailedLine): Promise<string> {
  const next = await findCommand(registry, name);
  if (next === undefined) return '';
  const known = repeatable(invocation, command);
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
function repeatable(invocation: Invocation, command: Command): Pair[] {
  return withNamedValues(invocation, command).pairs.filter(({ name, value }) => {
    const argument = command.args[name];
    return argument !== undefined && isPlain(argument) && typeof value === 'string' && !/[\n\r]|\$\{/.test(value);
  });
}

function isPlain({ secret, content }: Argument): boolean {
  return secret !== true && content !== true;
}

/** The argument `uuid` may be a target in one command, and a prompt set in another. */
function meansSame(given: Argument | undefined, wanted: Argument): boolean {
  return given?.lookup?.command === wanted.lookup?.command && given?.lookup?.takes === wanted.lookup?.takes;
}

function isSameRecord(given: Argument | undefined, wanted: Argument): boolean {
  return given?.lookup !== undefined && meansSame(given, wanted) && given.lookup.noun === wanted.lookup?.noun;
}

/**
 * Says how to get the value of a missing argument: from the list with the record, or from the command's help. @param
 * exact whether names are not accepted instead of ids
 */
export async function withMissingHints(
  thrown: ValidationError,
  line: FailedLine,
  exact: boolean,
): Promise<ValidationError> {
  const { pairs } = withNamedValues(line.invocation, line.command);
  const given = new Set(pairs.filter(({ value }) => String(value).trim() !== '').map(({ name }) => name));
  const problems: Problem[] = [];
  for (const problem of thrown.problems) problems.push(await withList(problem, line, given, exact));
  const last = problems.findLast((problem) => isMissing(problem, line, given));
  if (last !== undefined && !problems.some(({ hint }) => hint?.includes('!aisec-') === true)) {
    const hint = `${last.hint} See its arguments with: !help ${line.command.name}`;
    problems.splice(problems.indexOf(last), 1, { ...last, hint });
  }
  return new ValidationError(problems, { command: thrown.command });
}

/** Reports whether the hint of a problem is the description of an argument that the line lacks. */
function isMissing(
  { argument = '', hint = '' }: Problem,
  { command: { args } }: FailedLine,
  given: ReadonlySet<string>,
): boolean {
  return Object.hasOwn(args, argument) && !given.has(argument) && /^(?:[\w-]+: |One of )/.test(hint);
}

async function withList(
  problem: Problem,
  line: FailedLine,
  given: ReadonlySet<string>,
  exact: boolean,
): Promise<Problem> {
  const { argument: name = '' } = problem;
  const argument = line.command.args[name];
  const lookup = argument?.lookup;
  if (argument === undefined || lookup === undefined || !isMissing(problem, line, given)) return problem;
  // The list requires these arguments, so the hint about them comes first.
  if (lookup.within?.every((outer) => given.has(outer)) === false) return problem;
  const hint = `${wanted(name, argument, lookup, exact)} ${seeList(lookup, [])}`.trimStart();
  return { ...problem, hint: await withArguments(hint, line) };
}

/** Says which values the argument accepts; empty if the message already says so. */
function wanted(name: string, argument: Argument, { takes, name: names }: Lookup, exact: boolean): string {
  const others = alternativesOf(argument);
  if (others.length > 0) return `Give ${[name, ...others].join(' or ')}.`;
  if (argument.required !== true) return '';
  if (takes === 'name') return 'Give a name.';
  return exact || names.length === 0 ? 'Give an id.' : 'Give an id or a name.';
}
