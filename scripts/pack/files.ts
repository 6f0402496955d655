/** Creates the content pack for upload: metadata, README and items by type. */
import { strToU8, zipSync } from 'fflate';
import type { JsonObject } from '../../lib/core/json.ts';
import { INTEGRATION, type Manifest } from '../../lib/manifest/integration.ts';
import type { ContentItem } from './incidents.ts';
import { jsonOf, packSources, unifiedScript } from './sources.ts';

interface Integration {
  readonly manifest: Manifest;
  /** The manifest as an uploadable file. */
  readonly text: string;
}

/**
 * Creates the files by path, in the order of the archive. A first version has no release notes.
 * @param root the project's root
 */
export function packFiles(root: string, { manifest, text }: Integration): ReadonlyMap<string, string> {
  const { metadata, readme, playbooks, scripts, items: content } = packSources(root);
  const items = {
    integration: [integrationItem(manifest)],
    automation: scripts.map(({ document, name }) =>
      namedItem({ ...document, id: name, description: document['comment'] }),
    ),
    playbook: playbooks.map(({ document }) => namedItem(document)),
    ...byKey(content),
  };
  const titles = Object.fromEntries(content.map(({ key, title }) => [key, title]));
  return new Map([
    ['metadata.json', jsonOf(uploadMetadata(metadata, items, titles))],
    ['pack_metadata.json', jsonOf(metadata)],
    ['README.md', readme],
    [`Integrations/integration-${INTEGRATION}.yml`, text],
    ...scripts.map((script) => [`Scripts/script-${script.name}.yml`, unifiedScript(script)] as const),
    ...playbooks.map(({ source, stem }) => [`Playbooks/playbook-${stem}.yml`, source] as const),
    ...content.map(({ folder, file, document }) => [`${folder}/${file}`, jsonOf(document)] as const),
  ]);
}

function uploadMetadata(
  metadata: JsonObject,
  contentItems: Readonly<Record<string, readonly JsonObject[]>>,
  titles: Readonly<Record<string, string>>,
): JsonObject {
  return {
    id: INTEGRATION,
    ...metadata,
    updated: metadata['created'],
    contentItems,
    contentDisplays: { integration: 'Integration', automation: 'Automations', playbook: 'Playbooks', ...titles },
    supportDetails: {},
  };
}

function integrationItem({ name, display, description, category, script, fromversion }: Manifest): JsonObject {
  const commands = script.commands.map((command) => ({ name: command.name, description: command.description }));
  return { id: name, name: display, description, category, commands, fromversion, toversion: '' };
}

function namedItem({ id, name, description, fromversion }: JsonObject): JsonObject {
  return { id, name, description, fromversion, toversion: '' };
}

function byKey(content: readonly ContentItem[]): Record<string, JsonObject[]> {
  const items: Record<string, JsonObject[]> = {};
  for (const { key, document } of content) {
    const entry = namedItem({ ...document, fromversion: document['fromVersion'] });
    items[key] = [...(items[key] ?? []), entry];
  }
  return items;
}

/** Modification time of all entries, in local time as ZIP stores it, so that the archive is reproducible. */
const MOMENT = new Date(2026, 0, 1, 12);

/** Creates a ZIP archive of text files, in the order of the map. */
export function zipped(files: ReadonlyMap<string, string>): Uint8Array {
  const entries = Array.from(files, ([path, text]) => [path, strToU8(text)] as const);
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: MOMENT });
}
