/** Declares options of the command line; parsing, help, completion and types are derived from the declarations. */
import type { OptionKind } from '../../../arguments/argv.ts';

export interface Option {
  /** Name without dashes. Default: the property's name with hyphens. */
  readonly name?: string;
  readonly kind: OptionKind;
  /** Placeholder of its value in help. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Maximum integer; absent: fractions are valid too. */
  readonly largest?: number;
  /** The number is a share in percent. */
  readonly isPercent?: boolean;
  /** The number is a time limit in seconds, which becomes a timer. */
  readonly isTimeLimit?: boolean;
  /** May also end a line of the war room. */
  readonly inRoom?: boolean;
}

/** Options by the property that the program reads. */
export type Flags = Readonly<Record<string, Option>>;

type More = Omit<Partial<Option>, 'kind' | 'value' | 'description'>;

/** Declares an option without a value. */
export function flag(description: string, more: More = {}) {
  return { kind: 'flag', description, ...more } as const;
}

/** Declares an option with a text. @param value its placeholder in help */
export function text<const M extends More = object>(value: string, description: string, more?: M) {
  return { kind: 'text', value, description, ...(more as M) } as const;
}

/** Declares an option that may be repeated. */
export function texts(value: string, description: string, more: More = {}) {
  return { kind: 'texts', value, description, ...more } as const;
}

/** Declares an option with a number. */
export function number(value: string, description: string, more: More = {}) {
  return { kind: 'number', value, description, ...more } as const;
}

/** The type of an option's value. */
type ValueOf<O extends Option> = O extends { kind: 'flag' }
  ? boolean
  : O extends { kind: 'texts' }
    ? readonly string[]
    : O extends { kind: 'number' }
      ? number | undefined
      : O extends { choices: readonly (infer Choice)[] }
        ? Choice | undefined
        : string | undefined;

/** The values of a table of options. */
export type Values<F extends object> = {
  readonly [Property in keyof F]: F[Property] extends Option ? ValueOf<F[Property]> : never;
};

/** Returns the name of an option, without dashes. */
export function optionName(property: string, { name }: Option): string {
  return name ?? property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
