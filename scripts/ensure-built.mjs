/** Builds `dist/` if it is missing or older than the sources. */
import { isFresh } from './fingerprint.mjs';

export async function ensureBuilt() {
  if (isFresh()) return;
  // Loaded lazily: a fresh build needs no bundler.
  const { build } = await import('./build.mjs');
  await build();
}
