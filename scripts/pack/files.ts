/** The files of the content pack, as the platform takes them: metadata, words for people, and the items by type. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { INTEGRATION, type Manifest } from '../../lib/manifest/integration.ts';

const ASSETS = ['lib', 'manifest', 'assets'];
const PLAYBOOKS = 'playbooks';

interface Integration {
  readonly manifest: Manifest;
  /** The manifest as the one file for upload. */
  readonly text: string;
}

/**
 * Paths in the pack and their texts, in the order in which they stand in the archive.
 * @param root the project's top
 * @param version of the pack, such as `1.2.3`
 */
export function packFiles(root: string, version: string, { manifest, text }: Integration): ReadonlyMap<string, string> {
  const asset = (...names: string[]) => readFileSync(join(root, ...ASSETS, ...names), 'utf8');
  const metadata = { ...objectIn(asset('pack', 'metadata.json')), currentVersion: version };
  const sources = readdirSync(join(root, ...ASSETS, PLAYBOOKS)).filter((name) => name.endsWith('.yml'));
  const playbooks = sources.sort().map((name) => {
    const source = asset(PLAYBOOKS, name);
    return { source, document: objectIn(source) };
  });
  const items = {
    integration: [integrationItem(manifest)],
    playbook: playbooks.map(({ document }) => playbookItem(document)),
  };
  return new Map([
    ['metadata.json', jsonOf(uploadMetadata(metadata, items))],
    ['pack_metadata.json', jsonOf(metadata)],
    ['README.md', asset('pack', 'README.md')],
    [`ReleaseNotes/${version.replace(/\./g, '_')}.md`, asset('pack', 'release-notes.md')],
    [`Integrations/integration-${INTEGRATION}.yml`, text],
    ...playbooks.map(({ source, document }) => [pathOf(document), source] as const),
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

function pathOf({ name }: JsonObject): string {
  return `Playbooks/playbook-${String(name).replace(/\s+/g, '_')}.yml`;
}

/** JSON is YAML. */
function objectIn(text: string): JsonObject {
  const value: unknown = parse(text, { version: '1.1' });
  if (isObject(value)) return value;
  throw new Error('A file of the pack holds no names and values.');
}

function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
