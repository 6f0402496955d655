/** Says what to do if the packages are not installed, because npm starts the build before packing even without them. */
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../node_modules/esbuild', import.meta.url))) {
  console.error('error: the packages that build the program are not installed.\nhint: Run this first: npm ci');
  process.exit(1);
}
