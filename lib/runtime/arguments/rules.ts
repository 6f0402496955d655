/** Rules about several arguments of one command, with a description for help and reference. */
import type { Problem } from '../../core/errors.ts';
import { utf8Length } from '../../core/text/utf8.ts';

export interface Rule {
  /** A sentence for the command reference. */
  readonly description: string;
  /**
   * @param isTyped reports whether the caller typed an argument that may have a default; if absent, any value counts as
   * typed
   */
  check(args: Readonly<Record<string, unknown>>, isTyped?: (name: string) => boolean): Problem | undefined;
}

/** Requires at least one of the arguments. */
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

/** Rejects an argument together with any of the others, because one would be silently ignored. */
export function exclusive(name: string, ...others: readonly string[]): Rule {
  const description = `${name} cannot be given together with ${others.join(', ')}.`;
  return {
    description,
    check: (args) => {
      const present = others.filter((other) => args[other] !== undefined);
      if (args[name] === undefined || present.length === 0) return undefined;
      return { argument: name, message: description, hint: `Leave out ${name}, or ${present.join(', ')}.` };
    },
  };
}

/** Rejects an argument together with others that were typed; their defaults do not count. */
export function exclusiveAsTyped(name: string, ...others: readonly string[]): Rule {
  const rule = exclusive(name, ...others);
  return {
    description: rule.description,
    check: (args, isTyped = (other) => args[other] !== undefined) => {
      const typed: Record<string, unknown> = {};
      for (const each of [name, ...others]) if (isTyped(each)) typed[each] = args[each];
      return rule.check(typed);
    },
  };
}

/** Requires `needed` if `name` has this value. */
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
 * Rejects `other` unless `name` has this value, because it would be silently ignored.
 * @param standard its default, which does not count as given
 */
export function onlyWith(name: string, value: unknown, other: string, standard?: unknown): Rule {
  const description = `${other} applies only to ${name}=${String(value)}.`;
  return {
    description,
    check: (args) => {
      if (args[name] === value || args[other] === undefined || args[other] === standard) return undefined;
      return { argument: other, message: description, hint: `Leave out ${other}, or set ${name}=${String(value)}.` };
    },
  };
}

/** Limits the total UTF-8 length of several strings, or lists of strings. */
export function combinedBytes(names: readonly string[], maxBytes: number): Rule {
  const description = `${names.join(', ')} may have at most ${maxBytes} bytes together.`;
  return {
    description,
    check: (args) => {
      const texts = names.reduce<unknown[]>((all, name) => all.concat(args[name] ?? []), []);
      const bytes = texts.reduce<number>((sum, text) => sum + utf8Length(String(text)), 0);
      return bytes <= maxBytes ? undefined : { argument: names[0], message: `${description} They have ${bytes}.` };
    },
  };
}
