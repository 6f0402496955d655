/** Notes which chunks of the installed program the tests load. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { type Ended, ended, type Given, ROOT, start } from '../../support/program.ts';

type Variables = Readonly<Record<string, string>>;

let notes = '';

/** Returns variables with which the installed program notes its chunks. */
export function noting(environment: Variables = {}): Variables {
  notes ||= join(temporaryFolder('chunks'), 'loaded');
  const NODE_OPTIONS = `--require=${join(ROOT, 'tests', 'system', 'built', 'record-chunks.cjs')}`;
  return { ...environment, NODE_OPTIONS, LOADED_CHUNKS: notes };
}

/** Runs the installed program, and notes its chunks. */
export function runInstalled(program: string, words: readonly string[], given: Given): Promise<Ended> {
  return ended(start(program, words, { ...given, environment: noting(given.environment) }));
}

/**
 * Returns the modules that the program imports lazily and that no run has loaded, each with its first export. Chunks that several
 * modules share have no names; they are loaded with each of them.
 */
export function neverLoaded(program: string): string[] {
  const loader = readFileSync(program, 'utf8');
  const [, table = '[]'] = /^const CHUNKS = new Map\((.*)\.map\(/m.exec(loader) ?? [];
  const file = /chunks-\w+\.js/.exec(loader)?.[0] ?? '';
  const text = readFileSync(join(program, '..', file));
  const chunks = JSON.parse(table) as [name: string, at: number, length: number, line: number][];
  const loaded = new Set(readFileSync(notes, 'utf8').split('\n'));
  return chunks
    .filter(([name, , , line]) => !name.startsWith('chunk-') && !loaded.has(String(line)))
    .map(([name, at, length]) => {
      const [, first = ''] = /__export\(\w+, \{\s*(\w+)/.exec(text.toString('utf8', at, at + length)) ?? [];
      return `${name.replace(/-\w+\.js$/, '')}: ${first}`;
    })
    .sort();
}
