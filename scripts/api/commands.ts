/** The paths of commands, with the schemas of their arguments and results. */

import { objectOf } from '../../lib/core/json.ts';
import { jsonContent, jsonResponse, refTo } from '../../lib/hosts/http/route.ts';
import { RUN_COMMAND } from '../../lib/hosts/http/routes/commands.ts';
import { sentence } from '../../lib/manifest/catalogue.ts';
import { describe } from '../../lib/manifest/describe.ts';
import { EFFECTS, OUTSIDE } from '../../lib/manifest/reference.ts';
import { leastRole, type Role } from '../../lib/manifest/roles.ts';
import { inputSchema, type JsonSchema, outputSchema, outputsOf, toolHints } from '../../lib/manifest/schema.ts';
import type { Command } from '../../lib/runtime/engine/command.ts';
import type { RecordType } from '../../lib/runtime/output/record.ts';
import { issuesSecret } from '../../lib/runtime/output/record.ts';
import { exampleArguments } from './known-values.ts';
import { familyOf, pascalCase } from './names.ts';
import { operationOf } from './operation.ts';

/** Creates the paths and schemas of all commands. */
export function commandParts(commands: readonly Command[]) {
  const names = recordNames(commands);
  return {
    paths: Object.fromEntries(
      commands.map((command) => [`/v1/commands/${command.name}`, { post: operation(command) }]),
    ),
    schemas: Object.fromEntries(commands.flatMap((command) => schemasOf(command, names))),
  };
}

function argumentsName({ name }: Command): string {
  return `${pascalCase(name)}Arguments`;
}

function resultName({ name }: Command): string {
  return `${pascalCase(name)}Result`;
}

/**
 * Names records after their context paths; if several records share a path, all but the first also get the verb of
 * their command.
 */
function recordNames(commands: readonly Command[]): ReadonlyMap<RecordType, string> {
  const names = new Map<RecordType, string>();
  for (const command of commands) {
    for (const { record } of outputsOf(command)) {
      if (names.has(record)) continue;
      const name = pascalCase(record.path.replace(/^AiSec\./, ''));
      const verb = pascalCase(command.name.split('-').pop() ?? '');
      names.set(record, Array.from(names.values()).includes(name) ? `${name}${verb}` : name);
    }
  }
  return names;
}

/**
 * Returns the schemas of a command: its arguments, its records, and the general result with this command's name and
 * records.
 */
function schemasOf(command: Command, names: ReadonlyMap<RecordType, string>): (readonly [string, JsonSchema])[] {
  const { properties, ...outputs } = outputSchema(command);
  const records = outputsOf(command).map(({ record, many }) => {
    const schema = objectOf(objectOf(properties)[record.path]);
    const name = names.get(record) ?? '';
    const value = many ? { ...schema, items: refTo(name) } : refTo(name);
    return { name, schema: many ? objectOf(schema['items']) : schema, property: [record.path, value] as const };
  });
  const linked = { ...outputs, properties: Object.fromEntries(records.map(({ property }) => property)) };
  const own = { command: { type: 'string', const: command.name }, outputs: linked };
  return [
    [argumentsName(command), inputSchema(command)],
    [resultName(command), { allOf: [refTo('Result'), { type: 'object', properties: own }] }],
    ...records.map(({ name, schema }) => [name, schema] as const),
  ];
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
    waits ? 'With `wait` true the response is 202 and a run, which ends when the work is done.' : '',
    extensions.length === 0 ? '' : `Extensions of the interface: ${extensions.join(', ')}.`,
    `Needs the role \`${roleFor(command)}\`.`,
  ];
  return parts
    .filter((part) => part !== '')
    .map(sentence)
    .join(' ');
}

function roleFor(command: Command): Role {
  return leastRole({ ...command, annotations: toolHints(command), issuesSecret: issuesSecret(command) });
}
