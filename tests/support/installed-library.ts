/** The library as a program finds it, next to its packages. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { libraryModules } from '../../scripts/build/library.mjs';
import { temporaryFolder } from './folder.ts';
import { ROOT } from './program.ts';

/** Installs the library from the sources. @returns a folder whose programs can import it */
export async function installedLibrary(): Promise<string> {
  const folder = temporaryFolder('library');
  const installed = join(folder, 'node_modules', 'aisec');
  mkdirSync(join(installed, 'dist', 'lib'), { recursive: true });
  mkdirSync(join(installed, 'catalogue'));
  for (const path of ['package.json', 'catalogue/commands.json'])
    writeFileSync(join(installed, path), readFileSync(join(ROOT, path)));
  const { files } = await libraryModules();
  for (const [name, text] of files) writeFileSync(join(installed, 'dist', name), text);
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  return folder;
}
