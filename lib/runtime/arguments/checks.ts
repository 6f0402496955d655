/** Validates parsed values against the schemas of their arguments, and explains every problem. */
import { MAX_PROBLEMS, type Problem } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { isOwn } from '../../core/text/own.ts';
import { characters, utf8Length } from '../../core/text/utf8.ts';
import type { Argument, Arguments } from './builders.ts';
import { didYouMean } from './suggest.ts';
import { type Failure, type Validator, validatorOf } from './validators.ts';

const validators = new Map<Argument, Validator>();

/** Validates the values that are present; other code reports missing values. */
export function check(args: Arguments, values: Readonly<Record<string, unknown>>): Problem[] {
  const problems: Problem[] = [];
  for (const name of Object.keys(values)) {
    const argument = isOwn(args, name) ? args[name] : undefined;
    if (argument === undefined || (argument.clearable === true && values[name] === null)) continue;
    for (const failure of validator(argument)(values[name])) {
      if (problems.length < MAX_PROBLEMS) problems.push(explain(failure, name, argument, values[name]));
    }
  }
  return problems;
}

/** Returns the validator of an argument, compiled on first use. */
function validator(argument: Argument): Validator {
  const compiled = validators.get(argument) ?? validatorOf(argument.schema);
  validators.set(argument, compiled);
  return compiled;
}

function explain(failure: Failure, name: string, argument: Argument, argumentValue: unknown): Problem {
  const inner = failure.instancePath.slice(1);
  const location = inner === '' ? name : `${name} (at ${inner})`;
  const value = within(argumentValue, inner);
  const ofItem = within(argument.schema, decodeURIComponent(failure.schemaPath.slice(2).replace(/\/?[^/]*$/, '')));
  const title =
    inner === '' || argument.kind === 'list' ? argument.schema['title'] : isObject(ofItem) && ofItem['title'];
  const hidden = argument.secret === true || argument.content === true;
  return { argument: name, ...describeFailure(failure, { location, value, hidden, title }) };
}

/** Returns the value at a JSON pointer. @param pointer without its first slash */
function within(value: unknown, pointer: string): unknown {
  const names = pointer === '' ? [] : pointer.split('/');
  return names.reduce<unknown>((inside, name) => {
    const plain = name.replace(/~1/g, '/').replace(/~0/g, '~');
    const holder = typeof inside === 'object' && inside !== null ? inside : {};
    return Object.getOwnPropertyDescriptor(holder, plain)?.value as unknown;
  }, value);
}

export type Sentence = { message: string; hint?: string | undefined };

export interface FailureDetails {
  readonly location: string;
  readonly value: unknown;
  /** The message must not contain the value. */
  readonly hidden: boolean;
  /** The title of the schema. */
  readonly title: unknown;
}

type Facts = Pick<FailureDetails, 'value' | 'title'> & Pick<Failure, 'params'> & { bound: string; actual: string };

/** The rest of the sentence that begins with the location, by the keyword that failed. */
const ENDS: Readonly<Record<string, (facts: Facts) => string>> = {
  pattern: ({ title, actual }) =>
    typeof title === 'string' ? `must be ${title}${actual}` : 'has a character or a form that is not allowed',
  minimum: ({ bound, actual }) => `must be at least ${bound}${actual}`,
  maximum: ({ bound, actual }) => `must be at most ${bound}${actual}`,
  minLength: ({ bound }) => `must have at least ${bound} characters`,
  maxLength: ({ bound, value }) => `must have at most ${bound} characters; it has ${characters(String(value))}`,
  maxBytes: ({ bound, value }) => `must have at most ${bound} bytes; it has ${utf8Length(String(value))}`,
  minItems: ({ bound }) => `must have at least ${bound} ${bound === '1' ? 'entry' : 'entries'}`,
  maxItems: ({ bound }) => `must have at most ${bound} entries`,
  required: ({ params }) => `lacks "${String(params['missingProperty'])}"`,
  type: ({ params }) => `must be ${article(String(params['type']))}`,
};

/** Explains one failure in a sentence that names the location. */
export function describeFailure({ keyword, params }: Failure, details: FailureDetails): Sentence {
  const { location, value, hidden, title } = details;
  if (keyword === 'enum') {
    return choice(location, hidden ? undefined : value, (params['allowedValues'] ?? []) as readonly unknown[]);
  }
  if (keyword === 'minProperties') return { message: `${location} is empty.`, hint: 'Remove it, or fill it in.' };
  const facts = { value, title, params, bound: String(params['limit']), actual: hidden ? '' : notThis(value) };
  return { message: `${location} ${ENDS[keyword]?.(facts) ?? 'is not valid'}.` };
}

function choice(location: string, value: unknown, allowed: readonly unknown[]): Sentence {
  const words = allowed.map(String);
  const suggestion = typeof value === 'string' ? didYouMean(value, words) : undefined;
  const isQuoted = typeof value === 'string' && words.includes(value);
  const list = `Choices: ${words.join(', ')}.`;
  return {
    message: `${location} does not take ${typeof value === 'string' ? `"${shortened(value)}"` : 'this value'}.`,
    hint: isQuoted ? `Write ${value} without quotes.` : suggestion === undefined ? list : `${suggestion} ${list}`,
  };
}

function notThis(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `, not "${shortened(String(value))}"` : '';
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
