/** Generates TypeScript types: arguments and outputs of every command, by name. */
import type { Argument } from '../arguments/builders.ts';
import type { Command } from '../engine/command.ts';
import { isObject, type JsonObject } from '../engine/json.ts';
import { argumentSchema, outputSchema, outputsOf } from './schema.ts';

const HEAD = `/** Arguments and outputs of every command, by its name. Written by \`npm run generate\`. */

/** A Boolean, or its text form. */
type Flag = boolean | 'true' | 'false' | 'yes' | 'no';
/** A number, or its text form. */
type Count = number | \`\${number}\`;
/** Any other text as well; the named ones are offered. */
type Text = string & {};

export interface AisecCommands {
`;

export function commandTypes(commands: readonly Command[]): string {
  return `${HEAD}${commands.map(commandType).join('')}}\n`;
}

function commandType(command: Command): string {
  const args = Object.entries(command.args).map(([name, argument]) => argumentLine(name, argument));
  const outputs = outputsOf(command).map(({ record }, at) => {
    // The outputs of a finished job exist only if the call waits for it.
    const isCertain = at === 0 || (command.call === undefined && command.run === undefined);
    return `      ${key(record.path)}${isCertain ? '' : '?'}: ${typeOf(member(outputSchema(command), record.path), '      ')};\n`;
  });
  return [
    `  /** ${comment(command.summary)} */\n  ${key(command.name)}: {\n`,
    args.length === 0 ? '    args: Record<string, never>;\n' : `    args: {\n${args.join('')}    };\n`,
    outputs.length === 0 ? '    outputs: Record<string, never>;\n' : `    outputs: {\n${outputs.join('')}    };\n`,
    '  };\n',
  ].join('');
}

function argumentLine(name: string, argument: Argument): string {
  const { description, required, default: standard, clearable } = argument;
  const isOptional = required !== true || standard !== undefined;
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

/** Converts a schema to a type. @param open for arguments: read-only, and further members are left to validation */
function typeOf(schema: unknown, indent: string, open = false): string {
  if (!isObject(schema)) return 'unknown';
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  const types = [schema['type']].flat().filter((type): type is string => typeof type === 'string');
  if (types.length === 0) return open ? 'object' : 'unknown';
  return types.map((type) => plainType(type, schema, indent, open)).join(' | ');
}

function plainType(type: string, schema: JsonObject, indent: string, open: boolean): string {
  switch (type) {
    case 'object':
      return objectType(schema, indent, open);
    case 'array':
      return `${open ? 'readonly ' : ''}(${typeOf(schema['items'], indent, open)})[]`;
    case 'integer':
      return 'number';
    default:
      return type;
  }
}

function objectType(schema: JsonObject, indent: string, open: boolean): string {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(properties);
  if (open && names.length === 0) return 'object';
  if (names.length === 0) return 'Record<string, unknown>';
  const inner = `${indent}  `;
  const lines = names.map((name) => {
    const property = properties[name];
    const described = isObject(property) && typeof property['description'] === 'string' ? property['description'] : '';
    const note = described === '' ? '' : `${inner}/** ${comment(described)} */\n`;
    return `${note}${inner}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(property, inner, open)};\n`;
  });
  const isClosed = schema['additionalProperties'] === false || required.length > 0;
  const rest =
    isClosed && !open ? '' : schema['additionalProperties'] === false ? '' : `${inner}[member: string]: unknown;\n`;
  return `{\n${lines.join('')}${rest}${indent}}`;
}

function member(schema: JsonObject, name: string): unknown {
  return isObject(schema['properties']) ? schema['properties'][name] : undefined;
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
