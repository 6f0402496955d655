/** Creates the content pack for upload: metadata, README and items by type. */
import type { JsonObject } from '../../lib/json.ts';
import { INTEGRATION, type Manifest } from '../../lib/manifest/integration.ts';
import { jsonOf, packSources } from './sources.ts';

interface Integration {
  readonly manifest: Manifest;
  /** The manifest as the file for upload. */
  readonly text: string;
}

/**
 * Creates the files by path, in the order of the archive. A first version has no release notes.
 * @param root the project's root
 * @param version version of the pack, such as `1.2.3`
 */
export function packFiles(root: string, version: string, { manifest, text }: Integration): ReadonlyMap<string, string> {
  const { metadata, readme, playbooks } = packSources(root, version);
  const items = {
    integration: [integrationItem(manifest)],
    playbook: playbooks.map(({ document }) => playbookItem(document)),
  };
  return new Map([
    ['metadata.json', jsonOf(uploadMetadata(metadata, items))],
    ['pack_metadata.json', jsonOf(metadata)],
    ['README.md', readme],
    [`Integrations/integration-${INTEGRATION}.yml`, text],
    ...playbooks.map(({ source, stem }) => [`Playbooks/playbook-${stem}.yml`, source] as const),
  ]);
}

function uploadMetadata(
  metadata: JsonObject,
  contentItems: Readonly<Record<string, readonly JsonObject[]>>,
): JsonObject {
  return {
    id: INTEGRATION,
    ...metadata,
    updated: metadata['created'],
    contentItems,
    contentDisplays: { integration: 'Integration', playbook: 'Playbooks' },
    supportDetails: {},
  };
}

function integrationItem({ name, display, description, category, script, fromversion }: Manifest): JsonObject {
  const commands = script.commands.map((command) => ({ name: command.name, description: command.description }));
  return { id: name, name: display, description, category, commands, fromversion, toversion: '' };
}

function playbookItem({ id, name, description, fromversion }: JsonObject): JsonObject {
  return { id, name, description, fromversion, toversion: '' };
}
