import { registry as commands } from '../../commands/index.ts';
import type { Registry } from '../../lib/runtime/engine/command.ts';

/** Returns a registry that counts, and the names of the commands loaded from it, in order. */
export function countedRegistry(registry: Registry = commands): {
  readonly registry: Registry;
  readonly loads: string[];
} {
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
