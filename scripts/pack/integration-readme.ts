/** Generates README.md of the integration and the reference of its commands, in the format that the platform's SDK checks. */
import type { Manifest, ManifestArgument, ManifestCommand } from '../../lib/manifest/integration.ts';
import type { ManifestParameter } from '../../lib/manifest/parameters.ts';
import type { Example } from './examples.ts';
import { page, plain, table } from './markdown.ts';

/** Renders all parameters, and the names of all commands. @param reference the address of the reference */
export function integrationReadme(
  { display, description, configuration, script }: Manifest,
  reference: string,
): string {
  return page([
    plain(description),
    `## Configure ${display} in Cortex`,
    table(['Parameter', 'Description', 'Required'], configuration.flatMap(parameterRows)),
    '## Commands',
    `You can execute these commands from the CLI, as part of an automation, or in a playbook. [The reference](${reference}) has their arguments, outputs and examples.`,
    table(
      ['Command', 'Description'],
      script.commands.map(({ name, description: what }) => [name, what]),
    ),
  ]);
}

/** Renders all commands with arguments, outputs and an example. */
export function commandReference({ display, script }: Manifest, examples: ReadonlyMap<string, Example>): string {
  return page([
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
      : table(
          ['Argument Name', 'Description', 'Required'],
          shown.map((argument) => [argument.name, explained(argument), argument.required ? 'Required' : 'Optional']),
        ),
    '#### Context Output',
    outputs.length === 0
      ? 'There is no context output for this command.'
      : table(
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
