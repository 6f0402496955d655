/** Loads all commands at once, because jest needs test tables before it can await anything. */
import type { Command } from '../../lib/runtime/engine/command.ts';
import { commandPaths, isCommand } from '../../scripts/discover.ts';
import { ROOT } from './program.ts';

const commands: ReadonlyMap<string, Command> = new Map(
  commandPaths(ROOT)
    .flatMap((path) => Object.values(require(`../../commands/${path}`) as Readonly<Record<string, unknown>>))
    .filter(isCommand)
    .map((command) => [command.name, command]),
);

/** Finds a command by name. @throws Error if it is not declared */
export function commandOf(name: string): Command {
  const command = commands.get(name);
  if (command === undefined) throw new Error(`${name} is not declared`);
  return command;
}
