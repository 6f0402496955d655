/** Creates the pack in the layout of a content repository for the platform's SDK: items in source form, with READMEs. */
import { INTEGRATION, type Manifest, manifestText, sourceForm } from '../../lib/manifest/integration.ts';
import { PARAMETERS } from '../../lib/manifest/parameters.ts';
import type { Example } from './examples.ts';
import { commandReference, integrationReadme, paragraphs, playbookReadme, sdkTable } from './readmes.ts';
import { jsonOf, type PlaybookSource, packSources, type ScriptSource } from './sources.ts';

/** The reference of all commands, which is too large for the integration's page. */
const REFERENCE = 'doc_files/AiSec_commands.md';

type Files = readonly (readonly [path: string, contents: string | Uint8Array])[];

/**
 * Creates the files, by path below the repository's root.
 * @param root the project's root
 * @param manifest manifest with its built parts, as uploaded
 * @param examples one for each command of the reference
 */
export function contentFiles(
  root: string,
  manifest: Manifest,
  examples: ReadonlyMap<string, Example>,
): ReadonlyMap<string, string | Uint8Array> {
  const { metadata, readme, playbooks, testPlaybooks, scripts, items, description, image } = packSources(root);
  const integration = `Integrations/${INTEGRATION}`;
  const files: Files = [
    ['pack_metadata.json', jsonOf(metadata)],
    ['README.md', readme],
    ['.secrets-ignore', secretsIgnore()],
    ['.pack-ignore', packIgnore(playbooks)],
    [`${integration}/${INTEGRATION}.yml`, manifestText(sourceForm(manifest))],
    [`${integration}/${INTEGRATION}.js`, manifest.script.script],
    [`${integration}/${INTEGRATION}_description.md`, description],
    [`${integration}/${INTEGRATION}_image.png`, image],
    [`${integration}/README.md`, integrationReadme(manifest, `../../${REFERENCE}`)],
    [REFERENCE, commandReference(manifest, examples)],
    ...scripts.flatMap(scriptFiles),
    ...playbooks.flatMap(playbookFiles),
    ...testPlaybooks.map(({ source, stem }) => [`TestPlaybooks/playbook-${stem}.yml`, source] as const),
    ...items.map(({ folder, file, document }) => [`${folder}/${file}`, jsonOf(document)] as const),
  ];
  return new Map(files.map(([path, contents]) => [`Packs/${INTEGRATION}/${path}`, contents]));
}

function playbookFiles({ source, document, stem }: PlaybookSource): Files {
  return [
    [`Playbooks/playbook-${stem}.yml`, source],
    [`Playbooks/playbook-${stem}_README.md`, playbookReadme(document)],
  ];
}

function scriptFiles({ name, source, code, document }: ScriptSource): Files {
  const folder = `Scripts/${name}`;
  return [
    [`${folder}/${name}.yml`, source],
    [`${folder}/${name}.js`, code],
    [
      `${folder}/README.md`,
      paragraphs([
        String(document['comment']),
        '## Script Data',
        sdkTable(['Name', 'Description'], [['Script Type', 'javascript']]),
      ]),
    ],
  ];
}

/** Lists the URLs in the instance form, which the secrets detector would report as leaks. */
function secretsIgnore(): string {
  const offered = PARAMETERS.flatMap(({ defaultvalue, options = [] }) => [defaultvalue ?? '', ...options]);
  const addresses = offered.filter((text) => text.startsWith('https://'));
  return `${[...new Set(addresses)].join('\n')}\n`;
}

/** Ignores PB106, which rejects every `using`: here it is an optional input, not a fixed instance. */
function packIgnore(playbooks: readonly PlaybookSource[]): string {
  return playbooks.map(({ stem }) => `[file:playbook-${stem}.yml]\nignore=PB106\n`).join('\n');
}
