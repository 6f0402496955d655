/** Completes field names after `--fields`, `--sort` and `--filter`. */
import type { CommandInfo } from '../../../../manifest/catalogue.ts';
import { type CellKind, kindOf, stateWord, titlesOf } from '../../../../runtime/select/printed.ts';

type Listed = Pick<CommandInfo, 'listed' | 'arguments'>;

/** The operators that make sense for a kind of field, most common first. */
const OF_TEXT = ['=', '!=', '~', '!~'];
const OF_NUMBER = ['=', '!=', '<', '<=', '>', '>='];
const OPERATORS: Readonly<Record<CellKind, readonly string[]>> = {
  id: OF_TEXT,
  text: OF_TEXT,
  state: OF_TEXT,
  flag: ['=', '!='],
  number: OF_NUMBER,
  rate: OF_NUMBER,
  time: ['>', '<', '>=', '<=', '=', '!='],
};
const CONDITION = /^([^=!~<>]+)(==|!=|!~|<=|>=|[=~<>])(.*)$/;
const AGE = 'age';

/**
 * Completes the value of an option that names fields.
 * @param command of the line; without it, nothing is offered
 * @returns whole values; undefined for any other option
 */
export function fieldTexts(option: string, typed: string, command: CommandInfo | undefined): string[] | undefined {
  const offer = OFFERS[option];
  if (offer === undefined) return undefined;
  if (command === undefined) return [];
  const kept = typed.slice(0, typed.lastIndexOf(',') + 1);
  const part = typed.slice(kept.length);
  const fits = offer(part, command).filter((text) => text.startsWith(part));
  return fits.filter((text) => !kept.split(',').includes(text)).map((text) => kept + text);
}

const OFFERS: Readonly<Record<string, (part: string, command: CommandInfo) => string[]>> = {
  fields: namesOf,
  sort: (part, command) =>
    Object.keys(kindsOf(command)).flatMap((name) => {
      if (part.includes(':')) return [`${name}:asc`, `${name}:desc`];
      return part === '' ? [name] : [name, `${name}:desc`];
    }),
  filter: conditionsOf,
};

/** Lists the fields of the outputs, and the members of a field once it is typed with its dot. */
function namesOf(part: string, { outputs, listed }: CommandInfo): string[] {
  const declared = outputs.map(({ path }) => path.replace(/^(?:AiSec\.)?\w+\.?/, '')).filter((name) => name !== '');
  const names = [...declared, ...Object.keys(listed)];
  const depth = part.split('.').length;
  return [...new Set(names)].filter((name) => name.split('.').length <= depth || !names.includes(ownerOf(name)));
}

function ownerOf(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}

/** Returns the fields of a list with their kinds; `age` is the title of a time in a table. */
function kindsOf({ listed }: Listed): Readonly<Record<string, CellKind>> {
  const fields = Object.entries(listed);
  const kinds = Object.fromEntries(fields.map(([name, type]) => [name, kindOf(name, { type })]));
  const hasAge = fields.some(([name, type]) => titlesOf(name, { type, description: '' }).includes('Age'));
  return hasAge ? { ...kinds, [AGE]: 'time' } : kinds;
}

/**
 * Offers names with their most common operator, all operators after a complete name, or the fixed values after an
 * operator.
 */
function conditionsOf(part: string, command: CommandInfo): string[] {
  const kinds = kindsOf(command);
  const [, name = '', operator = ''] = CONDITION.exec(part) ?? [];
  if (operator !== '') {
    const further = OPERATORS[kinds[name] ?? 'text'].filter((each) => each !== operator);
    const values = valuesOf(name, kinds[name], command).map((value) => `${name}${operator}${value}`);
    return [...values, ...further.map((each) => name + each)];
  }
  const whole = kinds[part];
  if (whole !== undefined) return OPERATORS[whole].map((each) => part + each);
  return Object.entries(kinds).map(([field, kind]) => field + (OPERATORS[kind][0] ?? '='));
}

/** Lists the values of a field as tables print them, if the command has an argument with the same name and choices. */
function valuesOf(name: string, kind: CellKind | undefined, { arguments: args }: CommandInfo): string[] {
  if (kind === 'flag') return ['true', 'false'];
  const argument = args.find((each) => each.name === name);
  const choices = argument?.choices ?? argument?.hints ?? [];
  // A value with a space would need its own quotes.
  return choices.map((choice) => (/^[A-Z_]+$/.test(choice) ? stateWord(choice).replace(/ /g, '_') : choice));
}
