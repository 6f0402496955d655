/** Reads the sources of the pack from the assets: metadata, README and playbooks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '../../lib/json.ts';

const ASSETS = ['lib', 'manifest', 'assets'];
const PLAYBOOKS = 'playbooks';

/** One playbook: its text as shipped, and the parsed document. */
export interface PlaybookSource {
  readonly source: string;
  readonly document: JsonObject;
  /** The name as part of a file name, such as `AiSec_-_Scan_Prompt`. */
  readonly stem: string;
}

export interface PackSources {
  readonly metadata: JsonObject;
  readonly readme: string;
  readonly playbooks: readonly PlaybookSource[];
  /** Markdown beside the instance settings. */
  readonly description: string;
  /** The PNG of the integration. */
  readonly image: Uint8Array;
}

/**
 * Reads all sources.
 * @param root the project's root
 * @param version version of the pack, such as `1.2.3`
 */
export function packSources(root: string, version: string): PackSources {
  const bytes = (...names: string[]) => readFileSync(join(root, ...ASSETS, ...names));
  const asset = (...names: string[]) => bytes(...names).toString('utf8');
  const names = readdirSync(join(root, ...ASSETS, PLAYBOOKS)).filter((name) => name.endsWith('.yml'));
  return {
    metadata: { ...objectIn(asset('pack', 'metadata.json')), currentVersion: version },
    readme: asset('pack', 'README.md'),
    playbooks: names.sort().map((name) => playbookOf(asset(PLAYBOOKS, name))),
    description: asset('AiSec_description.md'),
    image: bytes('AiSec_image.png'),
  };
}

function playbookOf(source: string): PlaybookSource {
  const document = objectIn(source);
  return { source, document, stem: String(document['name']).replace(/\s+/g, '_') };
}

/** Parses YAML or JSON. */
function objectIn(text: string): JsonObject {
  const value: unknown = parse(text, { version: '1.1' });
  if (isObject(value)) return value;
  throw new Error('A file of the pack is not a mapping.');
}

export function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
