/** Declarations as plain data: what is known of a command once its handler is left out. */
import type { Argument } from '../arguments/words.ts';
import type { Command, Registry } from '../command.ts';
import { type Fields, type Output, WHOLE } from '../output/record.ts';
import type { ArgumentInfo, Catalogue, CommandInfo, OutputInfo } from './catalogue.ts';

/** A declaration without its functions. */
export function describe(command: Command): CommandInfo {
  const args = Object.entries(command.args).map(([name, argument]) => describeArgument(name, argument));
  return {
    name: command.name,
    summary: command.summary,
    effect: command.effect,
    repeatable: command.repeatable ?? command.effect === 'read',
    example: command.example ?? exampleOf(args),
    rules: (command.rules ?? []).map((rule) => rule.description),
    arguments: args,
    job: command.job !== undefined,
    context: command.output.silent === true ? '' : command.output.record.path,
    outputs: outputsOf(command),
  };
}

/** Every command of a registry as plain data, in the registry's order. Loads all declarations. */
export async function catalogueOf(registry: Registry): Promise<Catalogue> {
  const catalogue: CommandInfo[] = [];
  for (const load of Object.values(registry)) catalogue.push(describe(await load()));
  return catalogue;
}

function describeArgument(name: string, argument: Argument): ArgumentInfo {
  return {
    name,
    kind: argument.kind,
    description: argument.description,
    required: argument.required === true,
    ...(argument.default === undefined ? {} : { default: argument.default }),
    ...(argument.choices === undefined ? {} : { choices: argument.choices }),
    ...(argument.hints === undefined ? {} : { hints: argument.hints }),
    secret: argument.secret === true,
    content: argument.content === true,
    extension: argument.extension === true,
    clearable: argument.clearable === true,
    positional: argument.positional === true,
  };
}

/** The fields of everything that a command may write: its own record, and the one of the end of its job. */
function outputsOf({ output, job }: Command): OutputInfo[] {
  const end = job === undefined || job.output.record === output.record ? [] : describeOutput(job.output);
  return [...describeOutput(output), ...end];
}

function describeOutput({ record, silent }: Output): OutputInfo[] {
  return silent === true ? [] : describeFields(record.path, record.fields);
}

/** The fields below a context path, each followed by the members of its value. */
function describeFields(parent: string, fields: Fields): OutputInfo[] {
  return Object.entries(fields).flatMap(([name, { type, description, items, members }]) => {
    const path = name === WHOLE ? parent : `${parent}.${name}`;
    return [{ path, type, description }, ...describeFields(path, items ?? members ?? {})];
  });
}

// Angle brackets say that a value is to be filled in; an invented value could be taken for one that works.
function exampleOf(args: readonly ArgumentInfo[]): string {
  return args
    .filter((argument) => argument.required)
    .map(({ name, choices }) => `${name}=${choices?.[0] ?? `<${name}>`}`)
    .join(' ');
}
