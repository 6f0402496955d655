/** Converts declarations to plain metadata. */
import type { Argument } from '../arguments/builders.ts';
import type { Command, Registry } from '../engine/command.ts';
import { type Fields, type Output, WHOLE } from '../output/record.ts';
import type { ArgumentInfo, Catalogue, CommandInfo, OutputInfo } from './catalogue.ts';

/** Converts a declaration to its metadata. */
export function describe(command: Command): CommandInfo {
  const args = Object.entries(command.args).map(([name, argument]) => describeArgument(name, argument));
  return {
    name: command.name,
    summary: command.summary,
    effect: command.effect,
    outside: command.outside === true,
    repeatable: command.repeatable ?? command.effect === 'read',
    example: command.example ?? exampleOf(args),
    rules: (command.rules ?? []).map((rule) => rule.description),
    arguments: args,
    job: command.job !== undefined,
    context: command.output.silent === true ? '' : command.output.record.path,
    outputs: outputsOf(command),
  };
}

/** Creates the catalogue of a registry, in its order. Loads all declarations. */
export async function catalogueOf(registry: Registry): Promise<Catalogue> {
  return (await declarationsOf(registry)).map(describe);
}

/** Loads all declarations of a registry, in its order. */
export async function declarationsOf(registry: Registry): Promise<Command[]> {
  const commands: Command[] = [];
  for (const load of Object.values(registry)) commands.push(await load());
  return commands;
}

function describeArgument(name: string, argument: Argument): ArgumentInfo {
  return {
    name,
    kind: argument.kind,
    description: argument.description,
    required: argument.required === true,
    ...(argument.unless === undefined ? {} : { unless: argument.unless }),
    ...(argument.default === undefined ? {} : { default: argument.default }),
    ...(argument.choices === undefined ? {} : { choices: argument.choices }),
    ...(argument.hints === undefined ? {} : { hints: argument.hints }),
    secret: argument.secret === true,
    content: argument.content === true,
    extension: argument.extension === true,
    clearable: argument.clearable === true,
    positional: argument.positional === true,
    ...(argument.withoutEffectOnPlatform === true ? { withoutEffectOnPlatform: true } : {}),
    ...(argument.lookup === undefined ? {} : { lookup: argument.lookup }),
  };
}

/** Lists the fields of all outputs: the command's record, and that of its finished job. */
function outputsOf({ output, job }: Command): OutputInfo[] {
  const end = job === undefined || job.output.record === output.record ? [] : describeOutput(job.output);
  return [...describeOutput(output), ...end];
}

function describeOutput({ record, silent }: Output): OutputInfo[] {
  return silent === true ? [] : describeFields(record.path, record.fields);
}

/** Lists the fields below a context path, each followed by its members. */
function describeFields(parent: string, fields: Fields): OutputInfo[] {
  return Object.entries(fields).flatMap(([name, { type, description, isDate, items, members }]) => {
    const path = name === WHOLE ? parent : `${parent}.${name}`;
    return [
      { path, type, ...(isDate === true ? { isDate } : {}), description },
      ...describeFields(path, items ?? members ?? {}),
    ];
  });
}

// Placeholders in angle brackets, because an invented value could look like one that works.
function exampleOf(args: readonly ArgumentInfo[]): string {
  return args
    .filter((argument) => argument.required)
    .map(({ name, choices }) => `${name}=${choices?.[0] ?? `<${name}>`}`)
    .join(' ');
}
