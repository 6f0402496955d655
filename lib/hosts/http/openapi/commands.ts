/** Paths of commands, with the schemas of their arguments and results. */

import { objectOf } from '../../../core/json.ts';
import type { Command } from '../../../engine/command.ts';
import { describe } from '../../../manifest/describe.ts';
import { EFFECTS, OUTSIDE } from '../../../manifest/reference.ts';
import { issuesSecret, leastRole, type Role } from '../../../manifest/roles.ts';
import { annotations, inputSchema, type JsonSchema, outputSchema, outputsOf } from '../../../manifest/schema.ts';
import { sentence } from '../../../manifest/sentences.ts';
import { RUN_COMMAND } from '../routes/commands.ts';
import { exampleArguments } from './examples.ts';
import { familyOf, pascalCase } from './names.ts';
import { operationOf } from './operation.ts';
import { jsonContent, jsonResponse, refTo } from './parts.ts';
import { type NamedSchema, type SharedSchemas, sharedSchemas } from './shared-schemas.ts';

/** Paths and schemas of all commands. */
export interface CommandParts {
  readonly paths: Readonly<Record<string, JsonSchema>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Creates the paths and schemas. @param reserved names of other schemas */
export function commandParts(commands: readonly Command[], reserved: readonly string[]): CommandParts {
  const shared = sharedSchemas(
    commands.flatMap(recordSchemas),
    commands.map((command) => [argumentsName(command), inputSchema(command)]),
    [...reserved, ...commands.flatMap((command) => [argumentsName(command), resultName(command)])],
  );
  const own = commands.flatMap((command) => [
    [argumentsName(command), shared.linked(inputSchema(command))] as const,
    [resultName(command), resultSchema(command, shared)] as const,
  ]);
  return {
    paths: Object.fromEntries(
      commands.map((command) => [`/v1/commands/${command.name}`, { post: operation(command) }]),
    ),
    schemas: { ...Object.fromEntries(own), ...shared.schemas },
  };
}

function argumentsName({ name }: Command): string {
  return `${pascalCase(name)}Arguments`;
}

function resultName({ name }: Command): string {
  return `${pascalCase(name)}Result`;
}

/** Lists the records of a command under the last part of their context paths. */
function recordSchemas(command: Command): NamedSchema[] {
  const verb = pascalCase(command.name.split('-').pop() ?? '');
  return outputsOf(command).map(({ record }) => {
    const name = pascalCase(record.path.replace(/^AiSec\./, ''));
    const single = outputSchema({ output: { record, many: false } })['properties'] as Record<string, JsonSchema>;
    return { name, verb, schema: single[record.path] ?? {} };
  });
}

/** Returns the general result with the name and the outputs of this command. */
function resultSchema(command: Command, { linked }: SharedSchemas): JsonSchema {
  const outputs = linked(outputSchema(command));
  return {
    allOf: [
      refTo('Result'),
      { type: 'object', properties: { command: { type: 'string', const: command.name }, outputs } },
    ],
  };
}

function operation(command: Command): JsonSchema {
  const { name, summary, effect, outside, job } = command;
  const { responses, ...general } = operationOf({ ...RUN_COMMAND, params: {} });
  return {
    ...general,
    operationId: name,
    tags: [familyOf(name)],
    summary: sentence(summary),
    description: descriptionOf(command),
    'x-effect': effect,
    'x-role': roleFor(command),
    ...(outside === true ? { 'x-outside': true } : {}),
    ...(job === undefined ? {} : { 'x-job': true }),
    requestBody: {
      description: 'Arguments.',
      required: true,
      content: jsonContent(refTo(argumentsName(command)), exampleArguments(command)),
    },
    responses: { 200: jsonResponse('The result.', refTo(resultName(command))), ...objectOf(responses) },
  };
}

function descriptionOf(command: Command): string {
  const { effect, outside, rules, arguments: args, job } = describe(command);
  const files = args.filter(({ kind }) => kind === 'file').map((argument) => `\`${argument.name}\``);
  const extensions = args.filter(({ extension }) => extension).map((argument) => `\`${argument.name}\``);
  const waits = job && command.args['wait'] !== undefined;
  const parts = [
    EFFECTS[effect],
    outside ? OUTSIDE : '',
    ...rules,
    files.length === 0 ? '' : `${files.join(' and ')} takes the \`id\` of an uploaded file: \`POST /v1/files\` first.`,
    waits ? 'With `wait` true the response is 202 and a run, which ends when the work has ended.' : '',
    extensions.length === 0 ? '' : `Extensions of the interface: ${extensions.join(', ')}.`,
    `Needs the role \`${roleFor(command)}\`.`,
  ];
  return parts
    .filter((part) => part !== '')
    .map(sentence)
    .join(' ');
}

function roleFor(command: Command): Role {
  return leastRole({ ...command, annotations: annotations(command), issuesSecret: issuesSecret(command) });
}
