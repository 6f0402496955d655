/**
 * Checks the types of options, for callers without a compiler: with a wrong option, a guard would not protect or
 * wait as intended.
 */
import { isObject } from './json.ts';

/** Describes the allowed values of an option, as the words after "is" in a message. */
export interface Leaf {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

/** An option with nested options. */
export interface Group {
  readonly members: Readonly<Record<string, Leaf | Group>>;
  /** Other values that it accepts. */
  readonly or?: readonly unknown[];
}

export const TEXT: Leaf = { words: 'a text', fits: (value) => typeof value === 'string' };
export const NUMBER: Leaf = { words: 'a number', fits: (value) => typeof value === 'number' && !Number.isNaN(value) };
export const TRUTH: Leaf = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
export const CALLABLE: Leaf = { words: 'a function', fits: (value) => typeof value === 'function' };
export const OBJECT: Leaf = { words: 'an object', fits: isObject };
export const TEXTS: Leaf = {
  words: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

/** A number from `least` to `most`. */
export function numberFrom(least: number, most: number): Leaf {
  const fits = (value: unknown) => typeof value === 'number' && value >= least && value <= most;
  return { words: `a number from ${least} to ${most}`, fits };
}

/** A whole number from `least` to `most`. */
export function wholeFrom(least: number, most: number): Leaf {
  const { words, fits } = numberFrom(least, most);
  return {
    words: words.replace('a number', 'a whole number'),
    fits: (value) => fits(value) && Number.isInteger(value),
  };
}

/** One of several values. */
export function oneOfValues(...values: readonly string[]): Leaf {
  return {
    words: values.map((value) => `"${value}"`).join(' or '),
    fits: (value) => values.some((each) => each === value),
  };
}

/**
 * Checks the options of `owner`; an undefined option has its default.
 * @throws TypeError for an unknown name, or a value of another type
 */
export function checkTypes(owner: string, options: unknown, group: Group): void {
  checkGroup(owner, '', options, group);
}

function checkGroup(owner: string, path: string, value: unknown, { members, or = [] }: Group): void {
  if (or.includes(value)) return;
  const names = Object.keys(members);
  const whose = path === '' ? owner : `${path} of ${owner}`;
  if (!isObject(value)) {
    const others = or.map((each) => ` or ${JSON.stringify(each)}`).join('');
    throw new TypeError(`The options of ${whose} are an object${others}. Known names: ${names.join(', ')}.`);
  }
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`An option of ${whose} has the unknown name ${unknown}. Known names: ${names.join(', ')}.`);
  for (const [name, kind] of Object.entries(members)) {
    const [member, inner] = [value[name], path === '' ? name : `${path}.${name}`];
    if (member === undefined) continue;
    if ('members' in kind) checkGroup(owner, inner, member, kind);
    else if (!kind.fits(member)) throw new TypeError(`${inner} of ${owner} is ${kind.words}.`);
  }
}
