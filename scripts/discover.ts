/** Finds the declarations in `commands/`, in a stable order: folder, file, position in the file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../lib/runtime/engine/command.ts';

export interface CommandFile {
  /** Path below `commands/`, such as `runtime/topics.ts`. */
  readonly path: string;
  readonly commands: readonly { readonly exportName: string; readonly command: Command }[];
}

/** Loads the exports of a file by its path below `commands/`. */
export type LoadExports = (path: string) => Promise<Readonly<Record<string, unknown>>>;

const ORDER = ['runtime', 'red-team', 'model-security'];

/** Lists the files with declarations: planes in a fixed order, files by name. */
export function commandPaths(root: string): string[] {
  const folder = join(root, 'commands');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replace(/\\/g, '/'));
  return found.filter((path) => path.endsWith('.ts') && path !== 'index.ts').sort(byPlane);
}

/** Loads the declared commands of every file. */
export async function discover(root: string, load: LoadExports): Promise<CommandFile[]> {
  const files: CommandFile[] = [];
  for (const path of commandPaths(root)) {
    const source = readFileSync(join(root, 'commands', path), 'utf8');
    files.push({ path, commands: commandsIn(await load(path), source) });
  }
  return files.filter(({ commands }) => commands.length > 0);
}

// Exports of a module are sorted by name, so the order of declaration is read from the source.
function commandsIn(exports: Readonly<Record<string, unknown>>, source: string) {
  const place = (name: string) => source.search(new RegExp(`^export const ${name}\\b`, 'm'));
  return Object.entries(exports)
    .flatMap(([exportName, command]) => (isCommand(command) ? [{ exportName, command }] : []))
    .sort((one, other) => place(one.exportName) - place(other.exportName));
}

/** Reports whether an export is the declaration of a command. */
export function isCommand(value: unknown): value is Command {
  if (typeof value !== 'object' || value === null) return false;
  return 'name' in value && 'summary' in value && 'args' in value && 'output' in value;
}

function byPlane(one: string, other: string): number {
  const rank = (path: string) => {
    const index = ORDER.indexOf(path.split('/')[0] ?? '');
    return index < 0 ? ORDER.length : index;
  };
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}
