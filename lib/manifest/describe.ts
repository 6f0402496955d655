/** Converts declarations to plain metadata. */
import type { Argument } from '../runtime/arguments/builders.ts';
import type { Command, Registry } from '../runtime/engine/command.ts';
import { listedFields } from '../runtime/engine/list-reader.ts';
import { type Fields, type FieldType, WHOLE } from '../runtime/output/record.ts';
import { outputsOf } from './schema.ts';

export function describe(command: Command) {
  const args = Object.entries(command.args).map(([name, argument]) => describeArgument(name, argument));
  return {
    name: command.name,
    summary: command.summary,
    effect: command.effect,
    /** Reaches a system other than the service. */
    outside: command.outside === true,
    repeatable: command.repeatable ?? command.effect === 'read',
    /** Arguments of an example, as typed in a war room. */
    example: command.example ?? exampleOf(args),
    /** Rules about several arguments, as sentences. */
    rules: (command.rules ?? []).map((rule) => rule.description),
    arguments: args,
    /** May start work that continues in the service. */
    job: command.job !== undefined,
    /** Such as `AiSec.Topic`. */
    context: command.output.silent === true ? '' : command.output.record.path,
    /** Types of the fields for filtering and sorting a list, by name. */
    listed: typesOf(listedFields(command)),
    outputs: outputsOf(command).flatMap(({ record }) => describeFields(record.path, record.fields)),
  };
}

/** Creates the catalogue of a registry, in its order. Loads all declarations. */
export async function catalogueOf(registry: Registry) {
  return (await declarationsOf(registry)).map(describe);
}

/** Loads all declarations of a registry, in its order. */
export async function declarationsOf(registry: Registry): Promise<Command[]> {
  const commands: Command[] = [];
  for (const load of Object.values(registry)) commands.push(await load());
  return commands;
}

function describeArgument(name: string, argument: Argument) {
  return {
    name,
    kind: argument.kind,
    description: argument.description,
    required: argument.required === true,
    ...pick(argument, 'unless', 'default', 'choices', 'hints'),
    secret: argument.secret === true,
    content: argument.content === true,
    extension: argument.extension === true,
    clearable: argument.clearable === true,
    positional: argument.positional === true,
    ...pick(argument, 'withoutEffectOnPlatform', 'lookup'),
  };
}

function pick<Name extends keyof Argument>(
  argument: Argument,
  ...names: readonly Name[]
): Readonly<Pick<Argument, Name>> {
  const members = names.flatMap((name) => (argument[name] === undefined ? [] : [[name, argument[name]] as const]));
  return Object.fromEntries(members) as Pick<Argument, Name>;
}

function typesOf(fields: Fields = {}): Readonly<Record<string, FieldType>> {
  const named = Object.entries(fields).filter(([name]) => name !== WHOLE);
  return Object.fromEntries(named.map(([name, { type }]) => [name, type]));
}

interface OutputInfo {
  /** Full context path, such as `AiSec.Topic.topic_id`. */
  readonly path: string;
  readonly type: FieldType;
  /** Holds a date, whatever the type of the value. */
  readonly isDate?: true;
  /** An extension that the spec lacks; absent if the service does not send the field. */
  readonly extension?: true;
  readonly description: string;
}

/** Lists the fields below a context path, each followed by its members; members of an extension are extensions too. */
function describeFields(parent: string, fields: Fields, inExtension = false): OutputInfo[] {
  return Object.entries(fields).flatMap(([name, { type, description, isDate, extension, items, members }]) => {
    const path = name === WHOLE ? parent : `${parent}.${name}`;
    const isExtension = inExtension || extension === true;
    const marks = { ...(isDate === true ? { isDate } : {}), ...(isExtension ? { extension: isExtension } : {}) };
    return [{ path, type, ...marks, description }, ...describeFields(path, items ?? members ?? {}, isExtension)];
  });
}

// Placeholders in angle brackets, because an invented value could look usable.
function exampleOf(args: readonly ReturnType<typeof describeArgument>[]): string {
  return args
    .filter((argument) => argument.required)
    .map(({ name, choices }) => `${name}=${choices?.[0] ?? `<${name}>`}`)
    .join(' ');
}
