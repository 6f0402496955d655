/** Draws the pictures of `docs/images/` and their index, or checks them. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../commands/index.ts';
import { writeOrCheck } from '../written-files.ts';
import { draw } from './draw.ts';
import { OWN_VIEWS, VIEW_FILES } from './own-views.ts';
import { IMAGES, screensDocument } from './screens-document.ts';
import { stopTime } from './time.ts';
import { COMMAND_FILES, commandViews } from './views.ts';

/** Runs `npm run pictures`; `--check` does not write. @param scratch a folder for the files of the runs @returns the exit code */
export async function main(root: string, scratch: string, args: readonly string[]): Promise<number> {
  stopTime();
  const views = [...OWN_VIEWS, ...commandViews(Object.keys(registry))];
  const files = new Map([['docs/screens.md', screensDocument(views)]]);
  // One after the other, because the program writes into the working directory.
  for (const view of views) files.set(`docs/${IMAGES}/${view.name}.svg`, await draw(view, () => enterFolder(scratch)));
  return writeOrCheck(root, files, `docs/${IMAGES}`, { args, command: 'npm run pictures' });
}

/** Makes a folder of a new user the working directory. @returns its path */
function enterFolder(scratch: string): string {
  const folder = mkdtempSync(join(scratch, 'user-'));
  for (const [name, text] of Object.entries({ ...VIEW_FILES, ...COMMAND_FILES }))
    writeFileSync(join(folder, name), text);
  process.chdir(folder);
  return folder;
}
