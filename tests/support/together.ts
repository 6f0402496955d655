/** Runs test files as one, so that the modules that they import are loaded once and not for each of them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
// Its hook removes the folders of all files of a group.
import './folder.ts';
import { configureGlobal } from 'fast-check';
import { ROOT } from './program.ts';
import { shareOf } from './runs.ts';

// The number of runs of a property that says none.
configureGlobal({ numRuns: shareOf(100) });

/** Folders of `tests/`, by the file of `tests/together/` that runs them: each takes about as long as any other. */
const GROUPS = {
  commands: ['commands', 'fixtures', 'laws', 'secrets'],
  hosts: ['hosts', 'http'],
  work: ['bulk', 'faults', 'interrupts', 'mcp', 'queue', 'runs', 'scenarios'],
} as const;

/** Runs the quick test files of a group; `others` has the folders that no other group names. */
export function together(group: keyof typeof GROUPS | 'others'): void {
  const named: readonly string[] = Object.values(GROUPS).flat();
  const folders = group === 'others' ? foldersOfTests().filter((name) => !named.includes(name)) : GROUPS[group];
  for (const path of folders.flatMap(quickFilesIn)) {
    describe(path, () => {
      require(join(ROOT, 'tests', path));
    });
  }
}

function foldersOfTests(): string[] {
  const entries = readdirSync(join(ROOT, 'tests'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== 'together').map(({ name }) => name);
}

function quickFilesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, 'tests', folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /(?<!\.long)\.test\.ts$/.test(name)).map((name) => join(folder, name));
}
