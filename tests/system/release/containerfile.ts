/** The instructions of `Containerfile`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/program.ts';

export interface Instruction {
  readonly name: string;
  readonly words: readonly string[];
}

/** Where the build stage unpacks the package, and where the image has the program. */
const PACKED = '/opt/package/';
const PROGRAM = '/opt/aisec/';

/** Parses the instructions of the last stage, which becomes the image. */
export function lastStage(): readonly Instruction[] {
  const text = readFileSync(join(ROOT, 'Containerfile'), 'utf8');
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  const instructions = lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/);
      return { name, words };
    });
  return instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
}

/** Lists the files that the image takes from the package: path or pattern in the package, and folder in the program. */
export function copiedFiles(): readonly (readonly [path: string, folder: string])[] {
  return lastStage()
    .filter(({ name }) => name === 'COPY')
    .flatMap(({ words }) => {
      const [from, ...paths] = words;
      const target = paths.pop() ?? '';
      if (from !== '--from=build' || !target.startsWith(PROGRAM)) throw new Error(`COPY ${words.join(' ')}`);
      return paths.map((path) => [path.replace(PACKED, ''), target.replace(PROGRAM, '')] as const);
    });
}

/** The path that the image starts, relative to the program. */
export function entryPoint(): string {
  const words = lastStage().find(({ name }) => name === 'ENTRYPOINT')?.words ?? [];
  const [node, path, ...others] = JSON.parse(words.join(' ')) as readonly string[];
  if (node !== 'node' || path?.startsWith(PROGRAM) !== true || others.length > 0) throw new Error(words.join(' '));
  return path.replace(PROGRAM, '');
}
