/**
 * Writes the native bundle, `dist/platform/aisec.js`, and the single file for upload,
 * `dist/platform/integration-AiSec.yml`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const TOOLS = `
export { platformProduct } from './scripts/platform-bundle/product.ts';
export { PRODUCT } from './lib/manifest/integration.ts';
`;

const { platformProduct, PRODUCT } = await importText(TOOLS);
const { script, text } = await platformProduct(ROOT);

mkdirSync(join(ROOT, 'dist', 'platform'), { recursive: true });
for (const [path, contents] of [
  ['dist/platform/aisec.js', script],
  [PRODUCT, text],
]) {
  writeFileSync(join(ROOT, path), contents);
  console.log(`${path}: ${Math.round(Buffer.byteLength(contents) / 1024)} KiB`);
}
