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
