/** Writes the native bundle, `dist/platform/aisec.js`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const { platformBundle } = await importText("export { platformBundle } from './scripts/platform-bundle.ts';\n");
const folder = join(ROOT, 'dist', 'platform');
const { text } = await platformBundle(ROOT);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'aisec.js'), text);
console.log(`dist/platform/aisec.js: ${Math.round(Buffer.byteLength(text) / 1024)} KiB`);
