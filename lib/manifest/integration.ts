/** Builds the platform's manifest, `integration.yml`, from the catalogue and the settings. */
import { stringify } from 'yaml';
import type { Effect } from '../core/runtime.ts';
import { CHECKPOINT_ARGUMENT } from '../runtime/output/polling.ts';
import { type ArgumentInfo, type Catalogue, type CommandInfo, sentence, sentences } from './catalogue.ts';
import { PARAMETERS } from './parameters.ts';

export type Manifest = ReturnType<typeof manifestOf>;
export type ManifestCommand = Manifest['script']['commands'][number];
export type ManifestArgument = ReturnType<typeof argumentOf>;

/** Name of the integration, and name of its upload file. */
export const INTEGRATION = 'AiSec';
export const PRODUCT = `dist/platform/integration-${INTEGRATION}.yml`;

const DESCRIPTION =
  'Scan prompts and model responses, manage security profiles, custom topics and data loss prevention, ' +
  'red-team AI applications and check models before they are used.';

const CHANGES: readonly Effect[] = ['create', 'update', 'replace', 'delete'];

/** Parts of the upload file that the source form lacks. */
export interface Product {
  readonly script: string;
  readonly image: string;
  readonly description: string;
}

/** Creates the manifest, with keys in the platform's order; without a product, in source form. */
export function manifestOf(catalogue: Catalogue, product?: Product) {
  return {
    commonfields: { id: INTEGRATION, version: -1 },
    name: INTEGRATION,
    display: INTEGRATION,
    category: 'Cloud Security',
    provider: INTEGRATION,
    description: DESCRIPTION,
    sectionorder: ['Connect', 'Collect'],
    configuration: PARAMETERS,
    script: { script: product?.script ?? '-', type: 'javascript', isfetch: true, commands: catalogue.map(commandOf) },
    defaultclassifier: INTEGRATION,
    defaultmapperin: `${INTEGRATION} - Incoming Mapper`,
    fromversion: '6.10.0',
    tests: ['AiSec-Test'],
    // The image is a PNG of 120 by 50 pixels.
    ...(product === undefined
      ? {}
      : { image: `data:image/png;base64,${product.image}`, detaileddescription: product.description }),
  };
}

/** Removes the built parts: in the source form, the script, image and description are separate files. */
export function sourceForm({ image: _image, detaileddescription: _description, ...manifest }: Manifest): Manifest {
  return { ...manifest, script: { ...manifest.script, script: '-' } };
}

/** Serializes the manifest: `integration.yml`, or the file for upload. */
export function manifestText(manifest: Manifest): string {
  if (manifest.script.script !== '-') return yamlText(manifest);
  const head = `# Upload ${PRODUCT}, which holds the built script; this file is its source form. Written by \`npm run generate\`.\n`;
  return head + yamlText(manifest);
}

// The platform reads YAML 1.1, where an unquoted yes, no or on is a Boolean.
function yamlText(manifest: Manifest): string {
  return stringify(manifest, { version: '1.1', lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false });
}

/** The platform passes the checkpoint of a job from one run to the next. */
const CHECKPOINT: ManifestArgument = {
  name: CHECKPOINT_ARGUMENT,
  description: 'Checkpoint of the job; the platform sets it.',
  hidden: true,
};

function commandOf(command: CommandInfo) {
  const timeout = timeoutOf(command);
  return {
    name: command.name,
    description: [command.summary, ...command.rules].map(sentence).join(' '),
    // Potentially harmful: changes something in the service, or acts on another system.
    ...(command.outside || CHANGES.includes(command.effect) ? { execution: true } : {}),
    // The platform reruns the command until its job is done.
    ...(command.job ? { polling: true } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    arguments: [
      ...command.arguments.map((argument) => argumentOf(argument, command)),
      ...(command.job ? [CHECKPOINT] : []),
    ],
    outputs: command.outputs.map(({ path, description, type, isDate, extension }) => ({
      contextPath: path,
      description: sentences([description], extension === true),
      type: isDate === true ? 'Date' : type,
    })),
  };
}

// The platform's timeout must exceed the command's wait; the extra minute is for the first and last request.
function timeoutOf({ arguments: args }: CommandInfo): number | undefined {
  const wait = args.find(({ name }) => name === 'timeout')?.default;
  return wait === undefined ? undefined : Number(wait) + 60;
}

function argumentOf(argument: ArgumentInfo, command: CommandInfo) {
  const offered = offeredBy(argument);
  return {
    name: argument.name,
    description: descriptionOf(argument, command),
    ...(argument.required ? { required: true } : {}),
    // May be typed without its name.
    ...(argument.positional ? { default: true } : {}),
    ...(argument.default === undefined ? {} : { defaultValue: argument.default }),
    ...(argument.kind === 'list' ? { isArray: true } : {}),
    ...(argument.secret ? { secret: true } : {}),
    ...(argument.withoutEffectOnPlatform === true ? { hidden: true } : {}),
    ...(offered === undefined ? {} : { auto: 'PREDEFINED', predefined: offered }),
  };
}

// The platform shows the values as a pick list and accepts other values; docs/platform.md has the sources.
function offeredBy({ kind, choices, hints, clearable }: ArgumentInfo): readonly string[] | undefined {
  const values = kind === 'flag' ? ['true', 'false'] : (choices ?? hints);
  return values === undefined || !clearable ? values : [...values, 'null'];
}

function descriptionOf(argument: ArgumentInfo, command: CommandInfo): string {
  const { description, hints, clearable, extension, kind, unless } = argument;
  const open = hints === undefined ? [] : ['Other values are sent as typed.'];
  const clears = clearable ? ['The text null clears it.'] : [];
  const entry = kind === 'file' ? ['Takes the id of a file entry.'] : [];
  // The platform asks for the argument even if the file that replaces it is given.
  const isFile = command.arguments.some((other) => other.name === unless && other.kind === 'file');
  const free = isFile ? [`May be any word if ${String(unless)} is given.`] : [];
  return sentences([description, ...entry, ...free, ...open, ...clears], extension);
}
