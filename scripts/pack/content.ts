/** The pack in the layout of a content repository, which the platform's SDK reads: items in source form, each with its README. */
import { INTEGRATION, type Manifest, manifestText, sourceForm } from '../../lib/manifest/integration.ts';
import { PARAMETERS } from '../../lib/manifest/parameters.ts';
import { integrationReadme } from './integration-readme.ts';
import { playbookPicture } from './picture.ts';
import { playbookReadme } from './playbook-readme.ts';
import { jsonOf, type PlaybookSource, packSources } from './sources.ts';

type Files = readonly (readonly [path: string, contents: string | Uint8Array])[];

/**
 * Paths below the repository's top and their contents.
 * @param root the project's top
 * @param version of the pack, such as `1.2.3`
 * @param manifest with what is built, as it is uploaded
 * @param drawn pictures as PNG by the playbook's stem; where there is none, the SVG is shipped
 */
export function contentFiles(
  root: string,
  version: string,
  manifest: Manifest,
  drawn: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, string | Uint8Array> {
  const { metadata, readme, playbooks, description, image } = packSources(root, version);
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
    [`${integration}/README.md`, integrationReadme(manifest)],
    ...playbooks.flatMap((playbook) => playbookFiles(playbook, drawn.get(playbook.stem))),
  ];
  return new Map(files.map(([path, contents]) => [`Packs/${INTEGRATION}/${path}`, contents]));
}

function playbookFiles({ source, document, stem }: PlaybookSource, png: Uint8Array | undefined): Files {
  const picture = `${stem}.${png === undefined ? 'svg' : 'png'}`;
  return [
    [`Playbooks/playbook-${stem}.yml`, source],
    [`Playbooks/playbook-${stem}_README.md`, playbookReadme(document, picture)],
    [`doc_files/${picture}`, png ?? playbookPicture(document)],
  ];
}

/** The secrets detector takes addresses for leaks; these are the ones that the instance form offers. */
function secretsIgnore(): string {
  const offered = PARAMETERS.flatMap(({ defaultvalue, options = [] }) => [defaultvalue ?? '', ...options]);
  const addresses = offered.filter((text) => text.startsWith('https://'));
  return `${[...new Set(addresses)].join('\n')}\n`;
}

/** PB106 refuses every `using`; here it is an input that may stay empty, not the name of one instance. */
function packIgnore(playbooks: readonly PlaybookSource[]): string {
  return playbooks.map(({ stem }) => `[file:playbook-${stem}.yml]\nignore=PB106\n`).join('\n');
}
