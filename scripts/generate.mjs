/**
 * `npm run generate`: writes everything that is derived from the declarations; with `--check` it only reports
 * differences, and with `--untracked` it writes the files that are not in git.
 */
import { pathToFileURL } from 'node:url';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

/** Writes the generated files that are not in git: the catalogue and the OpenAPI document. */
export async function writeUntracked() {
  const { load, writeUntracked } = await imported();
  await writeUntracked(ROOT, load);
}

function imported() {
  return importText(
    "export { main, writeUntracked } from './scripts/generate.ts';\nexport const load = (path) => import(`./commands/${path}`);",
  );
}

async function main(args) {
  if (args.includes('--untracked')) return await writeUntracked();
  const { load, main } = await imported();
  process.exitCode = await main(ROOT, load, args);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
