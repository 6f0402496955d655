/** The manifest `integration.yml`: what the platform reads of the integration, from the catalogue and the settings. */
import { stringify } from 'yaml';
import type { Effect } from '../command.ts';
import type { ArgumentInfo, Catalogue, CommandInfo } from './catalogue.ts';
import { type ManifestParameter, PARAMETERS } from './parameters.ts';

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
}

export interface ManifestCommand {
  name: string;
  description: string;
  /** It changes something at the service. */
  execution?: true;
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
  description: string;
  sectionorder: readonly string[];
  configuration: readonly ManifestParameter[];
  script: { script: string; type: 'javascript'; commands: readonly ManifestCommand[] };
  fromversion: string;
}

/** The name of the integration and its one file for upload. */
export const INTEGRATION = 'AiSec';
export const PRODUCT = `dist/platform/integration-${INTEGRATION}.yml`;

const DESCRIPTION =
  'Scan prompts and model responses, manage security profiles, custom topics and data loss prevention, ' +
  'red-team AI applications and check models before they are used.';

const CHANGES: readonly Effect[] = ['create', 'update', 'replace', 'delete'];

/**
 * The manifest as a value, keys in the platform's order.
 * @param script the text of the native bundle; `-` in the source form
 */
export function manifestOf(catalogue: Catalogue, script = '-'): Manifest {
  return {
    commonfields: { id: INTEGRATION, version: -1 },
    name: INTEGRATION,
    display: INTEGRATION,
    category: 'Cloud Services',
    description: DESCRIPTION,
    sectionorder: ['Connect'],
    configuration: PARAMETERS,
    script: { script, type: 'javascript', commands: catalogue.map(commandOf) },
    fromversion: '6.10.0',
  };
}

/** The manifest as the text of `integration.yml`. */
export function manifestText(manifest: Manifest): string {
  const head = `# Upload ${PRODUCT}, which holds the built script; this file is its source form. Written by \`npm run generate\`.\n`;
  // The platform reads YAML 1.1, where an unquoted yes, no or on is a Boolean.
  return head + stringify(manifest, { version: '1.1', lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false });
}

function commandOf(command: CommandInfo): ManifestCommand {
  const timeout = timeoutOf(command);
  return {
    name: command.name,
    description: [command.summary, ...command.rules].map(sentence).join(' '),
    ...(CHANGES.includes(command.effect) ? { execution: true } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    arguments: command.arguments.map(argumentOf),
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

function offeredBy({ kind, choices, clearable }: ArgumentInfo): readonly string[] | undefined {
  const values = kind === 'flag' ? ['true', 'false'] : choices;
  return values === undefined || !clearable ? values : [...values, 'null'];
}

// Open lists are told, not offered: the platform would present an offer as all there is.
function descriptionOf({ description, hints, clearable, extension }: ArgumentInfo): string {
  const known = hints === undefined ? [] : [`Known values: ${hints.join(', ')}.`];
  const clears = clearable ? ['The text null clears it.'] : [];
  return [...(extension ? ['Extension:'] : []), sentence(description), ...known, ...clears].join(' ');
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
