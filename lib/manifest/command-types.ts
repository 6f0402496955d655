/** Generates TypeScript types: arguments and outputs of every command, by name. */

import type { Argument, Arguments } from '../runtime/arguments/builders.ts';
import { alternativesOf } from '../runtime/arguments/generic.ts';
import type { Command } from '../runtime/engine/command.ts';
import { argumentSchema, outputSchema, outputsOf } from './schema.ts';

const HEAD = `/** Arguments and outputs of every command, by its name. Written by \`npm run generate\`. */

/** A Boolean, or its text form. */
type Flag = boolean | 'true' | 'false' | 'yes' | 'no';
/** A number, or its text form. */
type Count = number | \`\${number}\`;
/** Any text; editors offer the named values. */
type Text = string & {};

export interface AisecCommands {
`;

export function commandTypes(commands: readonly Command[]): string {
  return `${HEAD}${commands.map(commandType).join('')}}\n`;
}

function commandType(command: Command): string {
  const args = Object.entries(command.args).map(([name, argument]) => argumentLine(name, argument));
  const { properties = {} }: Schema = outputSchema(command);
  const outputs = outputsOf(command).map(({ record }, at) => {
    // A job's final outputs exist only if the call waits for the job.
    const isCertain = at === 0 || (command.call === undefined && command.run === undefined);
    return `      ${key(record.path)}${isCertain ? '' : '?'}: ${typeOf(properties[record.path], '      ')};\n`;
  });
  return [
    `  /** ${comment(command.summary)} */\n  ${key(command.name)}: {\n`,
    args.length === 0
      ? '    args: Record<string, never>;\n'
      : `    args: {\n${args.join('')}    }${oneOfEach(command.args)};\n`,
    outputs.length === 0 ? '    outputs: Record<string, never>;\n' : `    outputs: {\n${outputs.join('')}    };\n`,
    '  };\n',
  ].join('');
}

/** Requires an argument or one of its alternatives; otherwise all of these members would be optional. */
function oneOfEach(args: Arguments): string {
  const choices = Object.entries(args).map(([name, argument]) => {
    const others = alternativesOf(argument);
    const each = (one: string) =>
      `{ ${key(one)}: ${args[one] === undefined ? 'unknown' : argumentType(one, args[one])} }`;
    return others.length === 0 ? '' : ` & (${[name, ...others].map(each).join(' | ')})`;
  });
  return choices.join('');
}

function argumentLine(name: string, argument: Argument): string {
  const { description, required, default: standard, clearable } = argument;
  const isOptional = required !== true || standard !== undefined || alternativesOf(argument).length > 0;
  const type = `${argumentType(name, argument)}${clearable === true ? ' | null' : ''}${isOptional ? ' | undefined' : ''}`;
  return `      /** ${comment(description)} */\n      ${key(name)}${isOptional ? '?' : ''}: ${type};\n`;
}

function argumentType(name: string, argument: Argument): string {
  const { kind, choices, hints } = argument;
  const texts = (choices ?? hints ?? []).map((text) => quoted(text));
  const text = [...texts, ...(choices === undefined ? [texts.length === 0 ? 'string' : 'Text'] : [])].join(' | ');
  switch (kind) {
    case 'number':
      return choices === undefined ? 'Count' : [...choices, ...texts].join(' | ');
    case 'flag':
      return 'Flag';
    case 'list':
      return `readonly (${text})[] | string`;
    case 'json':
      return `${typeOf(argumentSchema(name, { ...argument, clearable: false }), '      ', true)} | string`;
    default:
      return text;
  }
}

/** The keywords of a generated schema that determine its type. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean;
}

/** Converts a schema to a type. @param open for arguments: read-only, and validation checks the other members */
function typeOf(schema: Schema = {}, indent: string, open = false): string {
  const { type, enum: choices } = schema;
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (type === undefined) return open ? 'object' : 'unknown';
  return [type]
    .flat()
    .map((each) => plainType(each, schema, indent, open))
    .join(' | ');
}

function plainType(type: string, schema: Schema, indent: string, open: boolean): string {
  switch (type) {
    case 'object':
      return objectType(schema, indent, open);
    case 'array':
      return `${open ? 'readonly ' : ''}(${typeOf(schema.items, indent, open)})[]`;
    case 'integer':
      return 'number';
    default:
      return type;
  }
}

function objectType(schema: Schema, indent: string, open: boolean): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties);
  if (members.length === 0) return open ? 'object' : 'Record<string, unknown>';
  const inner = `${indent}  `;
  const lines = members.map(([name, property]) => {
    const { description = '' } = property;
    const note = description === '' ? '' : `${inner}/** ${comment(description)} */\n`;
    return `${note}${inner}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(property, inner, open)};\n`;
  });
  const isClosed = additionalProperties === false || (required.length > 0 && !open);
  return `{\n${lines.join('')}${isClosed ? '' : `${inner}[member: string]: unknown;\n`}${indent}}`;
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function comment(text: string): string {
  return text.replace(/\*\//g, '* /');
}
