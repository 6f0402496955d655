/** Installs third-party programs. */
import { importText } from './bundle.mjs';
import { scratchFolder } from './scratch-folder.mjs';

/** Installs packages in a folder outside the project, which is removed at the end. @returns its path */
export async function installed(use, packages) {
  const { npm } = await importText("export { npm } from './scripts/processes.ts';");
  const folder = scratchFolder(use);
  npm(['install', '--prefix', folder, '--save-exact', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  return folder;
}
