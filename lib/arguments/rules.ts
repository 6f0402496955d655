/** Conditions that tie the arguments of one command together. Each says itself in words, for help and reference. */
import type { Problem } from '../errors.ts';
import { utf8Length } from '../text/utf8.ts';

export interface Rule {
  /** A sentence for the reference. */
  readonly description: string;
  check(args: Readonly<Record<string, unknown>>): Problem | undefined;
}

/** At least one of these. */
export function oneOf(...names: readonly string[]): Rule {
  const choice = names.join(' or ');
  return {
    description: `One of ${choice} is required.`,
    check: (args) =>
      names.some((name) => args[name] !== undefined)
        ? undefined
        : { argument: names[0], message: `Give ${choice}.`, hint: `One of ${choice} is required.` },
  };
}

/** Either this one, or any of the others: given together, one form would be ignored without a word. */
export function apart(name: string, ...others: readonly string[]): Rule {
  const description = `${name} cannot be given together with ${others.join(', ')}.`;
  return {
    description,
    check: (args) => {
      const given = others.filter((other) => args[other] !== undefined);
      if (args[name] === undefined || given.length === 0) return undefined;
      return { argument: name, message: description, hint: `Leave out ${name}, or ${given.join(', ')}.` };
    },
  };
}

/** When `name` has the given value, `needed` is required. */
export function needs(name: string, value: unknown, needed: string): Rule {
  const description = `${name}=${String(value)} requires ${needed}.`;
  return {
    description,
    check: (args) =>
      args[name] === value && args[needed] === undefined
        ? { argument: needed, message: description, hint: `Add ${needed}=<value>, or leave ${name} out.` }
        : undefined,
  };
}

/**
 * `other` means something beside one value of `name` alone: beside another it would be ignored without a word.
 * @param standard its default, which does not count as given
 */
export function onlyWith(name: string, value: unknown, other: string, standard?: unknown): Rule {
  const description = `${other} is for ${name}=${String(value)} alone.`;
  return {
    description,
    check: (args) => {
      if (args[name] === value || args[other] === undefined || args[other] === standard) return undefined;
      return { argument: other, message: description, hint: `Leave out ${other}, or set ${name}=${String(value)}.` };
    },
  };
}

/** The named texts, and the texts of named lists, may take so many bytes of UTF-8 together. */
export function combinedBytes(names: readonly string[], most: number): Rule {
  const description = `${names.join(', ')} may have at most ${most} bytes together.`;
  return {
    description,
    check: (args) => {
      const texts = names.reduce<unknown[]>((all, name) => all.concat(args[name] ?? []), []);
      const bytes = texts.reduce<number>((sum, text) => sum + utf8Length(String(text)), 0);
      return bytes <= most ? undefined : { argument: names[0], message: `${description} They have ${bytes}.` };
    },
  };
}
