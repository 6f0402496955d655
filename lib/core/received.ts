/** Reads service data that no output declares: checks every member once, and gives each member a type. */
import { objectOf, objectsOf } from './json.ts';

type Reader<T> = (value: unknown) => T;
type Members = Readonly<Record<string, Reader<unknown>>>;
/** An object with the members that were read; a member of an unexpected type is undefined. */
export type Received<M extends Members> = { readonly [Name in keyof M]: ReturnType<M[Name]> };

/** Returns any string, including blank strings. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns a string that is not blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Returns a finite number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns a Boolean. */
export function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Returns the value unchanged, for code that checks it itself. */
export function anyOf(value: unknown): unknown {
  return value;
}

/** Returns the strings of a list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** Creates a reader of objects; it reads any other value as an empty object. */
export function object<M extends Members>(members: M): Reader<Received<M>> {
  const readers = Object.entries(members);
  return (value) => {
    const source = objectOf(value);
    return Object.fromEntries(readers.map(([name, read]) => [name, read(source[name])])) as Received<M>;
  };
}

/** Creates a reader of lists of objects; it reads any other value as an empty list. */
export function list<M extends Members>(members: M): Reader<readonly Received<M>[]> {
  const read = object(members);
  return (value) => objectsOf(value).map(read);
}
