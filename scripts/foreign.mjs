/** Installs third-party programs, and prints a line for each check with them. */
import { importText } from './bundle.mjs';
import { scratchFolder } from './scratch-folder.mjs';

/** Installs packages in a folder outside the project, which is removed at the end. @returns its path */
export async function installed(use, packages) {
  const { npm } = await importText("export { npm } from './scripts/processes.ts';");
  const folder = scratchFolder(use);
  npm(['install', '--prefix', folder, '--save-exact', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  return folder;
}

/** Prints a line for each check. `end` prints how many failed, and sets the exit code. */
export function checklist() {
  let failures = 0;
  const check = async (title, run) => {
    try {
      await run();
      console.log(`ok      ${title}`);
    } catch (thrown) {
      failures += 1;
      console.log(`FAILED  ${title}: ${thrown.message}`);
    }
  };
  const end = () => {
    console.log(failures === 0 ? 'passed' : `${failures} failed`);
    process.exitCode = failures === 0 ? 0 : 1;
  };
  return { check, end };
}
