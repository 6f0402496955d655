/** Reads the sources of the pack from the assets: metadata, README, playbooks, scripts and the content for incidents. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { isObject, type JsonObject } from '../../lib/core/json.ts';
import { type IncidentTables, incidentItems } from './incidents.ts';

const ASSETS = ['lib', 'manifest', 'assets'];

/** One playbook: its text as shipped, and the parsed document. */
export interface PlaybookSource {
  readonly source: string;
  readonly document: JsonObject;
  /** The name as part of a file name, such as `AiSec_-_Scan_Prompt`. */
  readonly stem: string;
}

/** One script: its declaration, and its code. */
export interface ScriptSource {
  readonly document: JsonObject;
  readonly name: string;
  readonly code: string;
  readonly source: string;
}

/** Reads all sources. @param root the project's root */
export function packSources(root: string) {
  const bytes = (...names: string[]) => readFileSync(join(root, ...ASSETS, ...names));
  const asset = (...names: string[]) => bytes(...names).toString('utf8');
  const ymlIn = (folder: string) =>
    readdirSync(join(root, ...ASSETS, folder))
      .filter((name) => name.endsWith('.yml'))
      .sort();
  const playbooksIn = (folder: string) => ymlIn(folder).map((name) => playbookOf(asset(folder, name)));
  return {
    metadata: objectIn(asset('pack', 'metadata.json')),
    readme: asset('pack', 'README.md'),
    playbooks: playbooksIn('playbooks'),
    // For the platform's pipeline; users do not get them.
    testPlaybooks: playbooksIn('test-playbooks'),
    scripts: ymlIn('scripts').map((name) =>
      scriptOf(asset('scripts', name), asset('scripts', name.replace(/yml$/, 'js'))),
    ),
    items: incidentItems(parse(asset('incidents.yml')) as IncidentTables),
    // Markdown shown next to the instance settings.
    description: asset('AiSec_description.md'),
    image: bytes('AiSec_image.png'),
  };
}

function playbookOf(source: string): PlaybookSource {
  const document = objectIn(source);
  return { source, document, stem: String(document['name']).replace(/\s+/g, '_') };
}

function scriptOf(source: string, code: string): ScriptSource {
  const document = objectIn(source);
  return { source, document, code, name: String(document['name']) };
}

/** Returns a script's file for upload, including its code. */
export function unifiedScript({ document, code }: ScriptSource): string {
  return stringify({ ...document, script: code }, { version: '1.1', lineWidth: 0, singleQuote: true });
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
