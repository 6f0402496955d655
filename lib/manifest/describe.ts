/** Declarations as plain data: what is known of a command once its handler is left out. */
import type { Argument } from '../arguments/words.ts';
import type { Command, Registry } from '../command.ts';
import { type Output, WHOLE } from '../output/record.ts';
import type { ArgumentInfo, Catalogue, CommandInfo, OutputInfo } from './catalogue.ts';

/** A declaration without its functions. */
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
    outputs: describeOutput(command.output),
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

function describeOutput({ record, silent }: Output): OutputInfo[] {
  const fields = silent === true ? [] : Object.entries(record.fields);
  return fields.map(([name, { type, description }]) => ({
    path: name === WHOLE ? record.path : `${record.path}.${name}`,
    type,
    description,
  }));
}

// Angle brackets say that a value is to be filled in; an invented value could be taken for one that works.
function exampleOf(args: readonly ArgumentInfo[]): string {
  return args
    .filter((argument) => argument.required)
    .map(({ name, choices }) => `${name}=${choices?.[0] ?? `<${name}>`}`)
    .join(' ');
}
