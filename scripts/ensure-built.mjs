/** Builds `dist/` when the build is missing or older than the sources. */
import { isFresh } from './fingerprint.mjs';

export async function ensureBuilt() {
  if (isFresh()) return;
  // Loaded only now: a fresh build starts without the bundler.
  const { build } = await import('./build.mjs');
  await build();
}
