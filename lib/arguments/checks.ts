/** Checks parsed values against the schemas of their arguments, and says in sentences what is wrong. */
import type { Problem } from '../errors.ts';
import { isObject } from '../json.ts';
import { isOwn } from '../text/own.ts';
import { characters, utf8Length } from '../text/utf8.ts';
import { didYouMean } from './suggest.ts';
import { type Failure, type Validator, validatorOf } from './validators.ts';
import type { Argument, Arguments, Schema } from './words.ts';

const known = new Map<Argument, Validator>();

/** Enough for every entry of the longest list that the service takes; beyond it nobody reads on. */
const MOST_PROBLEMS = 100;

/** The schema of what an argument takes. */
export function schemaOf({ schema, clearable }: Argument): Schema {
  return clearable === true ? { anyOf: [{ type: 'null' }, schema] } : schema;
}

/** Checks the values that are there; whether one is missing is not asked here. */
export function check(args: Arguments, values: Readonly<Record<string, unknown>>): Problem[] {
  const problems: Problem[] = [];
  for (const name of Object.keys(values)) {
    const argument = isOwn(args, name) ? args[name] : undefined;
    if (argument === undefined) continue;
    for (const failure of validator(argument)(values[name])) {
      if (isTelling(failure) && problems.length < MOST_PROBLEMS)
        problems.push(explain(failure, name, argument, values[name]));
    }
  }
  return problems;
}

/** Made when it is first asked for. */
function validator(argument: Argument): Validator {
  const made = known.get(argument) ?? validatorOf(schemaOf(argument));
  known.set(argument, made);
  return made;
}

/** That a value is not null either, and that none of the two fits, is no news. */
function isTelling({ keyword, schemaPath }: Failure): boolean {
  return keyword !== 'anyOf' && !/anyOf\/0/.test(schemaPath);
}

function explain(failure: Failure, name: string, argument: Argument, given: unknown): Problem {
  const inner = failure.instancePath.slice(1);
  const place = inner === '' ? name : `${name} (at ${inner})`;
  const value = within(given, inner);
  const ofItem = within(schemaOf(argument), decodeURIComponent(failure.schemaPath.slice(2).replace(/\/?[^/]*$/, '')));
  const title =
    inner === '' || argument.kind === 'list' ? argument.schema['title'] : isObject(ofItem) && ofItem['title'];
  const hidden = argument.secret === true || argument.content === true;
  return { argument: name, ...sentence(failure, { place, value, hidden, title }) };
}

/** @param pointer a JSON pointer without its first slash */
function within(value: unknown, pointer: string): unknown {
  const names = pointer === '' ? [] : pointer.split('/');
  return names.reduce<unknown>((inside, name) => {
    const plain = name.replace(/~1/g, '/').replace(/~0/g, '~');
    const holder = typeof inside === 'object' && inside !== null ? inside : {};
    return Object.getOwnPropertyDescriptor(holder, plain)?.value as unknown;
  }, value);
}

type Sentence = { message: string; hint?: string | undefined };

interface Wrong {
  readonly place: string;
  readonly value: unknown;
  /** The value must not be repeated. */
  readonly hidden: boolean;
  /** What the schema calls its values. */
  readonly title: unknown;
}

function sentence({ keyword, params }: Failure, { place, value, hidden, title }: Wrong): Sentence {
  const bound = String(params['limit']);
  const not = hidden ? '' : shown(value);
  switch (keyword) {
    case 'enum':
      return choice(place, hidden ? undefined : value, (params['allowedValues'] ?? []) as readonly unknown[]);
    case 'pattern':
      return {
        message:
          typeof title !== 'string'
            ? `${place} has a character or a form that is not allowed.`
            : `${place} must be ${title}${not}.`,
      };
    case 'minimum':
      return { message: `${place} must be at least ${bound}${not}.` };
    case 'maximum':
      return { message: `${place} must be at most ${bound}${not}.` };
    case 'minLength':
      return { message: `${place} must have at least ${bound} characters.` };
    case 'maxLength':
      return { message: `${place} must have at most ${bound} characters; it has ${characters(String(value))}.` };
    case 'maxBytes':
      return { message: `${place} must have at most ${bound} bytes; it has ${utf8Length(String(value))}.` };
    case 'minItems':
      return { message: `${place} must have at least ${bound} entries.` };
    case 'maxItems':
      return { message: `${place} must have at most ${bound} entries.` };
    case 'required':
      return { message: `${place} lacks "${String(params['missingProperty'])}".` };
    case 'type':
      return { message: `${place} must be ${article(String(params['type']))}.` };
    default:
      return { message: `${place} is not valid.` };
  }
}

function choice(place: string, value: unknown, allowed: readonly unknown[]): Sentence {
  const words = allowed.map(String);
  const near = typeof value === 'string' ? didYouMean(value, words) : undefined;
  const list = `Choices: ${words.join(', ')}.`;
  return {
    message: `${place} does not take ${typeof value === 'string' ? `"${cut(value)}"` : 'this value'}.`,
    hint: near === undefined ? list : `${near} ${list}`,
  };
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `, not "${cut(String(value))}"` : '';
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
