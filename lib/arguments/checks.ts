/** The one door to ajv: checks parsed values against the schema that a command's arguments make together. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Problem } from '../errors.ts';
import { characters, utf8Length } from '../text/utf8.ts';
import { didYouMean } from './suggest.ts';
import type { Arguments } from './words.ts';

/** Sees every function that ajv generates, so that a test can hold it against an old engine's grammar. */
export type CodeInspector = (code: string) => string;

export type Checks = (values: Readonly<Record<string, unknown>>) => Problem[];

const compiled = new Map<Arguments, Checks>();

/** Enough for every entry of the longest list that the service takes; beyond it nobody reads on. */
const MOST_PROBLEMS = 100;

/** The checks of one command, compiled when they are first asked for. */
export function checksOf(args: Arguments): Checks {
  const known = compiled.get(args);
  if (known !== undefined) return known;
  const checks = compileChecks(args);
  compiled.set(args, checks);
  return checks;
}

/** Compiles the checks of declared arguments. Its default output would not run on the platform's older engines. */
export function compileChecks(args: Arguments, inspect?: CodeInspector): Checks {
  const code = { es5: true, optimize: false, ...(inspect === undefined ? {} : { process: inspect }) };
  // Schemas are checked when the project is tested; checking them again here would take longer than everything else.
  const trusted = { meta: false, validateSchema: false, logger: false } as const;
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    unicodeRegExp: false,
    strictTypes: false,
    code,
    ...trusted,
  });
  ajv.addKeyword({
    keyword: 'maxBytes',
    type: 'string',
    validate: (most: number, text: string) => utf8Length(text) <= most,
  });
  const properties: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(args)) {
    properties[name] = argument.clearable === true ? { anyOf: [{ type: 'null' }, argument.schema] } : argument.schema;
  }
  const validate = ajv.compile({ type: 'object', properties });
  return (values) => problems(validate, values, args);
}

function problems(validate: ValidateFunction, values: Readonly<Record<string, unknown>>, args: Arguments): Problem[] {
  if (validate(values)) return [];
  const found = (validate.errors ?? []).filter(
    ({ keyword, schemaPath }) => keyword !== 'anyOf' && !/anyOf\/0/.test(schemaPath),
  );
  return found.slice(0, MOST_PROBLEMS).map((error) => explain(error, args));
}

function explain(error: ErrorObject, args: Arguments): Problem {
  const [argument = '', ...inner] = error.instancePath.slice(1).split('/');
  const declared = args[argument];
  const place = inner.length === 0 ? argument : `${argument} (at ${inner.join('/')})`;
  const value = declared?.secret === true || declared?.content === true ? undefined : error.data;
  const ofItem: unknown = error.parentSchema?.['title'];
  const title = inner.length === 0 || declared?.kind === 'list' ? declared?.schema['title'] : ofItem;
  return { argument, ...sentence(error, place, value, typeof title === 'string' ? title : undefined) };
}

type Sentence = { message: string; hint?: string | undefined };

function sentence(error: ErrorObject, place: string, value: unknown, title: string | undefined): Sentence {
  const bound = String(error.params['limit'] ?? error.schema);
  switch (error.keyword) {
    case 'enum':
      return choice(place, value, (error.params['allowedValues'] ?? []) as readonly unknown[]);
    case 'pattern':
      return {
        message:
          title === undefined
            ? `${place} has a character or a form that is not allowed.`
            : `${place} must be ${title}${shown(value)}.`,
      };
    case 'minimum':
      return { message: `${place} must be at least ${bound}${shown(value)}.` };
    case 'maximum':
      return { message: `${place} must be at most ${bound}${shown(value)}.` };
    case 'minLength':
      return { message: `${place} must have at least ${bound} characters.` };
    case 'maxLength':
      return { message: `${place} must have at most ${bound} characters; it has ${characters(String(error.data))}.` };
    case 'maxBytes':
      return { message: `${place} must have at most ${bound} bytes; it has ${utf8Length(String(error.data))}.` };
    case 'minItems':
      return { message: `${place} must have at least ${bound} entries.` };
    case 'maxItems':
      return { message: `${place} must have at most ${bound} entries.` };
    case 'required':
      return { message: `${place} lacks "${String(error.params['missingProperty'])}".` };
    case 'type':
      return { message: `${place} must be ${article(String(error.params['type']))}.` };
    default:
      return { message: `${place} ${error.message ?? 'is not valid'}.` };
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
