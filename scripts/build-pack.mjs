/** Writes the content pack for upload, `dist/platform/AiSec.zip`: the integration and its playbooks. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const TOOLS = `
export { platformProduct } from './scripts/platform-product.ts';
export { packFiles } from './scripts/pack/files.ts';
export { zipped } from './scripts/pack/zip.ts';
`;
const PACK = 'dist/platform/AiSec.zip';

const { platformProduct, packFiles, zipped } = await importText(TOOLS);
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const files = packFiles(ROOT, version, await platformProduct(ROOT));
const zip = zipped(files);

mkdirSync(join(ROOT, 'dist', 'platform'), { recursive: true });
writeFileSync(join(ROOT, PACK), zip);
console.log(`${PACK}: ${files.size} files, ${Math.round(zip.length / 1024)} KiB`);
