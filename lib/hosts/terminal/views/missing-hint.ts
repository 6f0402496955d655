/** Says how to get the value of a missing argument: the list that has the record, or the help of the command. */
import { alternativesOf } from '../../../arguments/alternatives.ts';
import type { Argument, Lookup } from '../../../arguments/builders.ts';
import { type Problem, ValidationError } from '../../../core/errors.ts';
import { seeList } from '../complete/match-name.ts';
import { withNamedValues } from '../input/invocation.ts';
import { type FailedLine, withArguments } from './complete-hint.ts';

/** Completes the hints about missing arguments. @param exact names do not stand for ids */
export async function withMissingHints(
  thrown: ValidationError,
  line: FailedLine,
  exact: boolean,
): Promise<ValidationError> {
  const given = givenIn(line);
  const problems: Problem[] = [];
  for (const problem of thrown.problems) problems.push(await withList(problem, line, given, exact));
  if (!problems.some(({ hint }) => hint?.includes('!aisec-') === true)) addHelp(problems, line, given);
  return new ValidationError(problems, { command: thrown.command });
}

/** Names the help of the command in the last hint that is a description alone. */
function addHelp(problems: Problem[], line: FailedLine, given: ReadonlySet<string>): void {
  const last = problems.findLast((problem) => isMissing(problem, line, given));
  if (last === undefined) return;
  const hint = `${last.hint} See its arguments with: !help ${line.command.name}`;
  problems.splice(problems.indexOf(last), 1, { ...last, hint });
}

/** Names of the arguments that have a value. */
function givenIn({ command, invocation }: FailedLine): ReadonlySet<string> {
  const { pairs } = withNamedValues(invocation, command);
  return new Set(pairs.filter(({ value }) => String(value).trim() !== '').map(({ name }) => name));
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
  // The list needs these arguments, and the hint about them comes first.
  if (lookup.within?.every((outer) => given.has(outer)) === false) return problem;
  const hint = `${wanted(name, argument, lookup, exact)} ${seeList(lookup, [])}`.trimStart();
  return { ...problem, hint: await withArguments(hint, line) };
}

/** Says what the argument takes; empty if the message says it already. */
function wanted(name: string, argument: Argument, { takes, name: names }: Lookup, exact: boolean): string {
  const others = alternativesOf(argument);
  if (others.length > 0) return `Give ${[name, ...others].join(' or ')}.`;
  if (argument.required !== true) return '';
  if (takes === 'name') return 'Give a name.';
  return exact || names.length === 0 ? 'Give an id.' : 'Give an id or a name.';
}
