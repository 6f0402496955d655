/** Example bodies of commands: the example of the declaration, as typed JSON, with values of the simulated tenant. */
import { parseLine } from '../../lib/arguments/argv.ts';
import { parseValue } from '../../lib/arguments/kinds.ts';
import type { Command } from '../../lib/engine/command.ts';
import { describe } from '../../lib/manifest/describe.ts';
import { KNOWN_VALUES } from './known-values.ts';

/** Returns arguments with which a command succeeds on the simulated tenant in its first state. */
export function exampleArguments(command: Command): Readonly<Record<string, unknown>> {
  const { name, args } = command;
  const typed: Record<string, unknown> = {};
  for (const pair of parseLine(`!${name} ${describe(command).example}`).pairs) {
    const argument = args[pair.name];
    if (argument === undefined) continue;
    const parsed = parseValue(pair.name, argument, pair.value);
    // Keep a placeholder, which cannot be parsed: a known value replaces it.
    typed[pair.name] = 'value' in parsed ? parsed.value : pair.value;
  }
  for (const [start, values] of Object.entries(KNOWN_VALUES)) {
    if (!name.startsWith(start)) continue;
    const isNamed = (argument: string) => start === name || Object.hasOwn(typed, argument);
    Object.assign(typed, Object.fromEntries(Object.entries(values).filter(([argument]) => isNamed(argument))));
  }
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined));
}
