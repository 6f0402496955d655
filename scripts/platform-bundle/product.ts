/** What is built for the platform: the native bundle, and the manifest that holds it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../commands/index.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { type Manifest, manifestOf, manifestText } from '../../lib/manifest/integration.ts';
import { platformBundle } from './bundle.ts';

export interface PlatformProduct {
  readonly script: string;
  readonly manifest: Manifest;
  /** The manifest as the one file for upload. */
  readonly text: string;
}

/** @param root the project's top */
export async function platformProduct(root: string): Promise<PlatformProduct> {
  const { text: script } = await platformBundle(root);
  return { script, ...(await withScript(root, script)) };
}

/** The manifest with a script of one's own. */
export async function withScript(root: string, script: string): Promise<Pick<PlatformProduct, 'manifest' | 'text'>> {
  const asset = (name: string) => readFileSync(join(root, 'lib', 'manifest', 'assets', name));
  const image = asset('AiSec_image.png').toString('base64');
  const description = asset('AiSec_description.md').toString('utf8');
  const manifest = manifestOf(await catalogueOf(registry), { script, image, description });
  return { manifest, text: manifestText(manifest) };
}
