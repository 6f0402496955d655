/** Which commands the folder `commands/` declares, in a stable order: folder, file, place in the file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../lib/command.ts';

export interface CommandFile {
  /** Below `commands/`, such as `runtime/topics.ts`. */
  readonly path: string;
  readonly commands: readonly { readonly exportName: string; readonly command: Command }[];
}

/** A file's exports, by its path below `commands/`. */
export type LoadExports = (path: string) => Promise<Readonly<Record<string, unknown>>>;

const ORDER = ['runtime', 'red-team', 'model-security'];

/** Paths of the files with declarations, below `commands/`: the planes in their order, their files by name. */
export function commandPaths(root: string): string[] {
  const folder = join(root, 'commands');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replace(/\\/g, '/'));
  return found.filter((path) => path.endsWith('.ts') && path !== 'index.ts').sort(byPlane);
}

/**
 * The declared commands of every file.
 * @throws Error when two declarations bear the same name
 */
export async function discover(root: string, load: LoadExports): Promise<CommandFile[]> {
  const files: CommandFile[] = [];
  for (const path of commandPaths(root)) {
    const source = readFileSync(join(root, 'commands', path), 'utf8');
    files.push({ path, commands: commandsIn(await load(path), source) });
  }
  refuseDoubles(files);
  return files.filter(({ commands }) => commands.length > 0);
}

// A module's own list of exports is sorted by name, so the order of declaration can only be read from its text.
function commandsIn(exports: Readonly<Record<string, unknown>>, source: string) {
  const place = (name: string) => source.search(new RegExp(`^export const ${name}\\b`, 'm'));
  return Object.entries(exports)
    .flatMap(([exportName, command]) => (isCommand(command) ? [{ exportName, command }] : []))
    .sort((one, other) => place(one.exportName) - place(other.exportName));
}

function isCommand(value: unknown): value is Command {
  if (typeof value !== 'object' || value === null) return false;
  return 'name' in value && 'summary' in value && 'args' in value && 'output' in value;
}

function refuseDoubles(files: readonly CommandFile[]): void {
  const seen = new Map<string, string>();
  for (const { path, commands } of files) {
    for (const { command } of commands) {
      const first = seen.get(command.name);
      if (first !== undefined) throw new Error(`${command.name} is declared in ${first} and in ${path}.`);
      seen.set(command.name, path);
    }
  }
}

function byPlane(one: string, other: string): number {
  const rank = (path: string) => {
    const index = ORDER.indexOf(path.split('/')[0] ?? '');
    return index < 0 ? ORDER.length : index;
  };
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}
