/** Reads the arguments of tools; commands check their own arguments. */
import { UsageError } from '../../core/errors.ts';
import { isObject, objectOf } from '../../core/json.ts';
import type { Agent } from './agent.ts';
import { plain } from './content.ts';

export type ToolArguments = Readonly<Record<string, unknown>>;

/** Checks that a tool has the arguments: otherwise a typo in `dry_run` would run for real. @throws UsageError */
export function checkMembers({ tools }: Agent, name: string, args: ToolArguments): void {
  const known = Object.keys(objectOf(tools.find((tool) => tool.name === name)?.inputSchema['properties']));
  const unknown = Object.keys(args).find((member) => !known.includes(member));
  if (unknown === undefined) return;
  throw new UsageError(`${name} has no argument "${plain(unknown).slice(0, 60)}".`, {
    hint: `It has ${known.join(', ')}.${known.includes('arguments') ? ' Put the arguments of the command into arguments.' : ''}`,
  });
}

/** Reads a text. @throws UsageError */
export function textOf(args: ToolArguments, name: string): string {
  const value = args[name] ?? '';
  if (typeof value === 'string') return value;
  throw new UsageError(`${name} is not a text.`, { argument: name });
}

/** Reads a flag. @throws UsageError if it is neither true nor false */
export function flagOf(args: ToolArguments, name: string): boolean {
  const value = args[name] ?? false;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new UsageError(`${name} is neither true nor false.`, { argument: name });
}

/** Reads arguments; some clients pass them as JSON text. @throws UsageError if they are not an object */
export function argumentsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : undefined;
    if (isObject(parsed)) return parsed;
  } catch {
    // Not JSON: the error below says what is wanted.
  }
  throw new UsageError('The arguments are not an object.', { hint: 'Pass them as {"name": value}.' });
}
