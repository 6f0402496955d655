/** The manifest `integration.yml`: what the platform reads of the integration, from the catalogue and the settings. */
import { stringify } from 'yaml';
import type { Effect } from '../command.ts';
import { STANDING_ARGUMENT } from '../output/polling.ts';
import type { ArgumentInfo, Catalogue, CommandInfo } from './catalogue.ts';
import { type ManifestParameter, PARAMETERS } from './parameters.ts';
import { sentence, sentences } from './sentences.ts';

export interface ManifestArgument {
  name: string;
  description: string;
  required?: true;
  /** May be typed without its name. */
  default?: true;
  defaultValue?: string;
  isArray?: true;
  /** Kept out of the platform's logs. */
  secret?: true;
  auto?: 'PREDEFINED';
  predefined?: readonly string[];
  /** Not for people: the platform itself sets it. */
  hidden?: true;
}

export interface ManifestCommand {
  name: string;
  description: string;
  /** Potentially harmful: it changes something at the service, or acts on a system outside of it. */
  execution?: true;
  /** The platform runs it again until its work is done. */
  polling?: true;
  /** Seconds until the platform gives up on it. */
  timeout?: number;
  arguments: readonly ManifestArgument[];
  outputs: readonly { contextPath: string; description: string; type: string }[];
}

export interface Manifest {
  commonfields: { id: string; version: -1 };
  name: string;
  display: string;
  category: string;
  provider: string;
  description: string;
  sectionorder: readonly string[];
  configuration: readonly ManifestParameter[];
  script: { script: string; type: 'javascript'; commands: readonly ManifestCommand[] };
  fromversion: string;
  /** Test playbooks of the platform's own pipeline, or why there are none. */
  tests: readonly string[];
  /** A PNG of 120 by 50, as a data address. */
  image?: string;
  /** Markdown beside the instance settings. */
  detaileddescription?: string;
}

/** The name of the integration and its one file for upload. */
export const INTEGRATION = 'AiSec';
export const PRODUCT = `dist/platform/integration-${INTEGRATION}.yml`;

const DESCRIPTION =
  'Scan prompts and model responses, manage security profiles, custom topics and data loss prevention, ' +
  'red-team AI applications and check models before they are used.';

const CHANGES: readonly Effect[] = ['create', 'update', 'replace', 'delete'];

/** What the file for upload holds beyond the source form. */
export interface Product {
  /** The text of the native bundle. */
  readonly script: string;
  /** A PNG in base64. */
  readonly image: string;
  readonly description: string;
}

/** The manifest as a value, keys in the platform's order; in source form without a product. */
export function manifestOf(catalogue: Catalogue, product?: Product): Manifest {
  return {
    commonfields: { id: INTEGRATION, version: -1 },
    name: INTEGRATION,
    display: INTEGRATION,
    category: 'Cloud Services',
    provider: INTEGRATION,
    description: DESCRIPTION,
    sectionorder: ['Connect'],
    configuration: PARAMETERS,
    script: { script: product?.script ?? '-', type: 'javascript', commands: catalogue.map(commandOf) },
    fromversion: '6.10.0',
    tests: ['No tests (tested on the simulated service)'],
    ...(product === undefined
      ? {}
      : { image: `data:image/png;base64,${product.image}`, detaileddescription: product.description }),
  };
}

/** The manifest without what is built: script, image and description are files of their own beside it. */
export function sourceForm({ image: _image, detaileddescription: _description, ...manifest }: Manifest): Manifest {
  return { ...manifest, script: { ...manifest.script, script: '-' } };
}

/** The manifest as text: `integration.yml`, or the file for upload. */
export function manifestText(manifest: Manifest): string {
  if (manifest.script.script !== '-') return yamlText(manifest);
  const head = `# Upload ${PRODUCT}, which holds the built script; this file is its source form. Written by \`npm run generate\`.\n`;
  return head + yamlText(manifest);
}

// The platform reads YAML 1.1, where an unquoted yes, no or on is a Boolean.
function yamlText(manifest: Manifest): string {
  return stringify(manifest, { version: '1.1', lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false });
}

/** What a run that goes on with a job is told; the platform hands back what the run before it left. */
const STANDING: ManifestArgument = {
  name: STANDING_ARGUMENT,
  description: 'Where the work stands; the platform sets it.',
  hidden: true,
};

function commandOf(command: CommandInfo): ManifestCommand {
  const timeout = timeoutOf(command);
  return {
    name: command.name,
    description: [command.summary, ...command.rules].map(sentence).join(' '),
    ...(command.outside || CHANGES.includes(command.effect) ? { execution: true } : {}),
    ...(command.job ? { polling: true } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    arguments: [...command.arguments.map(argumentOf), ...(command.job ? [STANDING] : [])],
    outputs: command.outputs.map(({ path, description, type }) => ({
      contextPath: path,
      description: sentence(description),
      type,
    })),
  };
}

// A command that can be told to wait for a job must outlive that wait; the minute is for its first and last request.
function timeoutOf({ arguments: args }: CommandInfo): number | undefined {
  const wait = args.find(({ name }) => name === 'timeout')?.default;
  return wait === undefined ? undefined : Number(wait) + 60;
}

function argumentOf(argument: ArgumentInfo): ManifestArgument {
  const offered = offeredBy(argument);
  return {
    name: argument.name,
    description: descriptionOf(argument),
    ...(argument.required ? { required: true } : {}),
    ...(argument.positional ? { default: true } : {}),
    ...(argument.default === undefined ? {} : { defaultValue: argument.default }),
    ...(argument.kind === 'list' ? { isArray: true } : {}),
    ...(argument.secret ? { secret: true } : {}),
    ...(offered === undefined ? {} : { auto: 'PREDEFINED', predefined: offered }),
  };
}

// The platform presents the values as a pick list and lets others through; docs/platform.md has the sources.
function offeredBy({ kind, choices, hints, clearable }: ArgumentInfo): readonly string[] | undefined {
  const values = kind === 'flag' ? ['true', 'false'] : (choices ?? hints);
  return values === undefined || !clearable ? values : [...values, 'null'];
}

function descriptionOf({ description, hints, clearable, extension }: ArgumentInfo): string {
  const open = hints === undefined ? [] : ['Other values are sent as typed.'];
  const clears = clearable ? ['The text null clears it.'] : [];
  return sentences([description, ...open, ...clears], extension);
}
