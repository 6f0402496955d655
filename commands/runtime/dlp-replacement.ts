/** Compares a replacement with the current resource: members that it keeps, changes and drops. */
import { cell, heading, type JsonObject, type Table } from '../../lib/engine/declare.ts';

/** Returns the named members that have a value. */
export function present(current: JsonObject, names: readonly string[]): JsonObject {
  const found: Record<string, unknown> = {};
  for (const name of names) if (isSet(current[name])) found[name] = current[name];
  return found;
}

/** Names of the members that will lose their value. @param args all possible members, undefined if omitted */
export function droppedBy(current: JsonObject, args: JsonObject): string[] {
  return Object.keys(args).filter((name) => isSet(current[name]) && args[name] === undefined);
}

/** Creates a table of changed members. */
export function changesOf(current: JsonObject, args: JsonObject): Table {
  const changed = Object.keys(args).filter((name) => textOf(current[name]) !== textOf(args[name]));
  return {
    title: 'What the replacement changes',
    columns: ['', 'Before', 'After'],
    rows: changed.map((name) => [
      heading(name),
      isSet(current[name]) ? cell(current[name]) : 'not set',
      args[name] === undefined ? 'dropped' : cell(args[name]),
    ]),
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}
