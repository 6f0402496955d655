/** Draws a picture of every command and view, and writes their index. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { registry } from '../../commands/index.ts';
import { draw } from './draw.ts';
import { OWN_VIEWS, VIEW_FILES } from './own-views.ts';
import { screensDocument } from './screens-document.ts';
import { stopTime } from './time.ts';
import { COMMAND_FILES, commandViews } from './views.ts';

/** Runs `npm run pictures`. @param scratch a folder for the files of the runs @param target the folder of the pictures */
export async function main(scratch: string, target: string): Promise<void> {
  const folder = resolve(target);
  mkdirSync(folder, { recursive: true });
  stopTime();
  const views = [...OWN_VIEWS, ...commandViews(Object.keys(registry))];
  // One after the other, because the program writes into the working directory.
  for (const view of views)
    writeFileSync(join(folder, `${view.name}.svg`), await draw(view, () => enterFolder(scratch)));
  writeFileSync(join(folder, 'README.md'), screensDocument(views));
}

/** Makes a folder of a new user the working directory. @returns its path */
function enterFolder(scratch: string): string {
  const folder = mkdtempSync(join(scratch, 'user-'));
  for (const [name, text] of Object.entries({ ...VIEW_FILES, ...COMMAND_FILES }))
    writeFileSync(join(folder, name), text);
  process.chdir(folder);
  return folder;
}
