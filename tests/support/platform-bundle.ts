/** The native bundle of the sources, built once for all test files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PlatformBundle, platformBundle } from '../../scripts/platform-bundle/bundle.ts';
import { builtOnce } from './built-once.ts';
import { ROOT } from './program.ts';

const FILE = 'bundle.json';

export async function sharedBundle(): Promise<PlatformBundle> {
  const folder = await builtOnce('platform-bundle', async (made) => {
    writeFileSync(join(made, FILE), JSON.stringify(await platformBundle(ROOT)));
  });
  return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as PlatformBundle;
}
