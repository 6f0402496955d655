/** Builds the upload for the platform: the manifest with the native bundle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../commands/index.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { type Manifest, manifestOf, manifestText } from '../../lib/manifest/integration.ts';
import { type BundleOptions, platformBundle } from './bundle.ts';

export interface PlatformProduct {
  readonly script: string;
  readonly manifest: Manifest;
  /** The manifest as an uploadable file. */
  readonly text: string;
}

/** Builds the product. @param root the project's root */
export async function platformProduct(root: string, options: BundleOptions = {}): Promise<PlatformProduct> {
  const { text: script } = await platformBundle(root, options);
  return { script, ...(await withScript(root, script)) };
}

/** Creates the manifest with the given script. */
export async function withScript(root: string, script: string): Promise<Pick<PlatformProduct, 'manifest' | 'text'>> {
  const asset = (name: string) => readFileSync(join(root, 'lib', 'manifest', 'assets', name));
  const image = asset('AiSec_image.png').toString('base64');
  const description = asset('AiSec_description.md').toString('utf8');
  const manifest = manifestOf(await catalogueOf(registry), { script, image, description });
  return { manifest, text: manifestText(manifest) };
}
