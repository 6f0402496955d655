/** Generates the READMEs of the integration and of playbooks, and the reference of commands, in the format that the platform's SDK checks. */
import { isObject, type JsonObject, objectOf, objectsOf } from '../../lib/core/json.ts';
import {
  INTEGRATION,
  type Manifest,
  type ManifestArgument,
  type ManifestCommand,
} from '../../lib/manifest/integration.ts';
import type { ManifestParameter } from '../../lib/manifest/parameters.ts';
import type { Example } from './examples.ts';

/** Renders all parameters, and the names of all commands. @param reference the URL of the reference */
export function integrationReadme(
  { display, description, configuration, script }: Manifest,
  reference: string,
): string {
  return paragraphs([
    plain(description),
    `## Configure ${display} in Cortex`,
    sdkTable(['Parameter', 'Description', 'Required'], configuration.flatMap(parameterRows)),
    '## Commands',
    `You can execute these commands from the CLI, as part of an automation, or in a playbook. [The reference](${reference}) has their arguments, outputs and examples.`,
    sdkTable(
      ['Command', 'Description'],
      script.commands.map(({ name, description: what }) => [name, what]),
    ),
  ]);
}

/** Renders all commands with arguments, outputs and an example. */
export function commandReference({ display, script }: Manifest, examples: ReadonlyMap<string, Example>): string {
  return paragraphs([
    `# Commands of ${display}`,
    ...script.commands.flatMap((command) => commandParts(command, examples.get(command.name))),
  ]);
}

/** Creates the rows of a parameter; credentials are two form fields, unless the first is hidden. */
function parameterRows(parameter: ManifestParameter): string[][] {
  const { display, displaypassword, hiddenusername, additionalinfo, required } = parameter;
  const second = displaypassword === undefined || hiddenusername === true ? [] : [displaypassword];
  return [display, ...second].map((name) => [name, additionalinfo, required ? 'True' : 'False']);
}

function commandParts(
  { name, description, arguments: args, outputs }: ManifestCommand,
  example: Example | undefined,
): string[] {
  const shown = args.filter(({ hidden }) => hidden !== true);
  return [
    `### ${name}`,
    '***',
    plain(description),
    '#### Base Command',
    `\`${name}\``,
    '#### Input',
    shown.length === 0
      ? 'There are no input arguments for this command.'
      : sdkTable(
          ['Argument Name', 'Description', 'Required'],
          shown.map((argument) => [argument.name, explained(argument), argument.required ? 'Required' : 'Optional']),
        ),
    '#### Context Output',
    outputs.length === 0
      ? 'There is no context output for this command.'
      : sdkTable(
          ['Path', 'Type', 'Description'],
          outputs.map((output) => [output.contextPath, output.type, output.description]),
        ),
    ...(example === undefined ? [] : exampleParts(example)),
  ];
}

function exampleParts({ line, context, readable }: Example): string[] {
  const quoted = readable.trimEnd().replace(/^/gm, '>').replace(/^>$/gm, '> ');
  return [
    '#### Command example',
    `\`\`\`${line}\`\`\``,
    ...(context === '{}' ? [] : ['#### Context Example', `\`\`\`json\n${context}\n\`\`\``]),
    '#### Human Readable Output',
    quoted,
  ];
}

function explained({ description, predefined, defaultValue }: ManifestArgument): string {
  const choices = predefined === undefined ? '' : ` Predefined values: ${predefined.join(', ')}.`;
  return `${description}${choices}${defaultValue === undefined ? '' : ` Default is ${defaultValue}.`}`;
}

/** Renders the README of a playbook. */
export function playbookReadme(document: JsonObject): string {
  const { description, inputs, outputs } = document;
  return paragraphs([
    plain(String(description)),
    '## Dependencies',
    'This playbook uses the following sub-playbooks, integrations, and scripts.',
    '### Sub-playbooks',
    'This playbook does not use any sub-playbooks.',
    '### Integrations',
    `* ${INTEGRATION}`,
    '### Scripts',
    listOf(scriptsOf(document), 'This playbook does not use any scripts.'),
    '### Commands',
    listOf(commandsOf(document), 'This playbook does not use any commands.'),
    '## Playbook Inputs',
    '---',
    sdkTable(
      ['Name', 'Description', 'Default Value', 'Required'],
      objectsOf(inputs).map((input) => [
        String(input['key']),
        String(input['description']),
        standardOf(objectOf(input['value'])),
        input['required'] === true ? 'Required' : 'Optional',
      ]),
    ),
    '## Playbook Outputs',
    '---',
    sdkTable(
      ['Path', 'Description', 'Type'],
      objectsOf(outputs).map(({ contextPath, description: what, type }) => [contextPath, what, type].map(String)),
    ),
  ]);
}

function listOf(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.map((name) => `* ${name}`).join('\n');
}

/** Lists the scripts of all tasks. */
function scriptsOf({ tasks }: JsonObject): string[] {
  const names = Object.values(objectOf(tasks)).map((task) => objectOf(objectOf(task)['task'])['scriptName']);
  return [...new Set(names.filter((name) => typeof name === 'string'))].sort();
}

/** Lists the commands of all tasks. */
function commandsOf({ tasks }: JsonObject): string[] {
  const scripts = Object.values(objectOf(tasks)).map((task) =>
    String(objectOf(objectOf(task)['task'])['script'] ?? ''),
  );
  return [...new Set(scripts.flatMap((script) => script.split('|||')[1] ?? []))].sort();
}

/** Returns the default value of an input. */
function standardOf({ simple, complex }: JsonObject): string {
  if (!isObject(complex)) return simple === undefined ? '' : String(simple);
  return [complex['root'], complex['accessor']].filter((part) => part !== undefined).join('.');
}

/** Renders a table for pages that the platform's SDK parses; a bare pipe would end a cell there. */
export function sdkTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map((text) => `**${text}**`)),
    line(columns.map(() => '---')),
    ...rows.map((cells) => line(cells.map(plain))),
  ].join('\n');
}

/** Escapes markup and pipes. */
function plain(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\|/g, '&#124;');
}

/** Joins parts by blank lines. */
export function paragraphs(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
