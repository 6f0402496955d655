import { registry } from '../../commands/index.ts';
import type { Registry } from '../../lib/engine/command.ts';

/** Returns the registry of all commands, and the names of the commands that were loaded from it, in order. */
export function countedRegistry(): { readonly registry: Registry; readonly loads: string[] } {
  const loads: string[] = [];
  const counted = Object.entries(registry).map(([name, load]) => [
    name,
    () => {
      loads.push(name);
      return load();
    },
  ]);
  return { registry: Object.fromEntries(counted) as Registry, loads };
}
