/** Writes the native bundle, `dist/platform/aisec.js`, and the one file for upload, `dist/platform/integration-AiSec.yml`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const TOOLS = `
export { platformBundle } from './scripts/platform-bundle.ts';
export { manifestOf, manifestText, PRODUCT } from './lib/manifest/integration.ts';
export { catalogueOf } from './lib/manifest/describe.ts';
export { registry } from './commands/index.ts';
`;

const { platformBundle, manifestOf, manifestText, PRODUCT, catalogueOf, registry } = await importText(TOOLS);
const asset = (name, encoding) => readFileSync(join(ROOT, 'lib', 'manifest', 'assets', name), encoding);

const { text: script } = await platformBundle(ROOT);
const image = asset('AiSec_image.png', 'base64');
const description = asset('AiSec_description.md', 'utf8');
const manifest = manifestOf(await catalogueOf(registry), { script, image, description });

mkdirSync(join(ROOT, 'dist', 'platform'), { recursive: true });
for (const [path, text] of [
  ['dist/platform/aisec.js', script],
  [PRODUCT, manifestText(manifest)],
]) {
  writeFileSync(join(ROOT, path), text);
  console.log(`${path}: ${Math.round(Buffer.byteLength(text) / 1024)} KiB`);
}
