/** Installs third-party programs. */
import { join } from 'node:path';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';
import { scratchFolder } from './scratch-folder.mjs';

const { npm } = await importText("export { npm } from './scripts/processes.ts';");

/** Installs packages in a folder outside the project, which is removed at the end. @returns its path */
export async function installed(use, packages) {
  const folder = scratchFolder(use);
  npm(['install', '--prefix', folder, '--save-exact', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  return folder;
}

/** Packs the program as it is published. @param folder gets the package @returns its path */
export function packed(folder) {
  return join(folder, npm(['pack', '--silent', '--pack-destination', folder], { cwd: ROOT }).trim().split('\n').at(-1));
}
