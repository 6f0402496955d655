/**
 * Writes the content pack for upload, `dist/platform/AiSec.zip`: the integration and its playbooks. `dist/content/` has the
 * same content in the layout of a content repository, for the platform's SDK.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const TOOLS = `
export { platformProduct } from './scripts/platform-bundle/product.ts';
export { contentFiles } from './scripts/pack/content.ts';
export { examplesOf } from './scripts/pack/examples.ts';
export { packFiles, zipped } from './scripts/pack/files.ts';
`;
const PACK = 'dist/platform/AiSec.zip';
const CONTENT = 'dist/content';

const { platformProduct, contentFiles, examplesOf, packFiles, zipped } = await importText(TOOLS);
const product = await platformProduct(ROOT);

const files = packFiles(ROOT, product);
const zip = zipped(files);
write(PACK, zip);
console.log(`${PACK}: ${files.size} files, ${Math.round(zip.length / 1024)} KiB`);

// Reviewers of a content repository read the script.
const { manifest } = await platformProduct(ROOT, { isReadable: true });
const content = contentFiles(ROOT, manifest, await examplesOf());
rmSync(join(ROOT, CONTENT), { recursive: true, force: true });
for (const [path, contents] of content) write(join(CONTENT, path), contents);
console.log(`${CONTENT}: ${content.size} files`);

function write(path, contents) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), contents);
}
