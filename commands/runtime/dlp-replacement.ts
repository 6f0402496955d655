/** What a full replacement does to what is there: members that it keeps, changes and drops. */
import { cell, heading, type JsonObject, type Table } from '../../lib/declare.ts';

/** The named members that have a value. */
export function present(current: JsonObject, names: readonly string[]): JsonObject {
  const found: Record<string, unknown> = {};
  for (const name of names) if (isSet(current[name])) found[name] = current[name];
  return found;
}

/** Names of the members that have a value now, and will have none. @param given all members that can be given, undefined where they are not */
export function droppedBy(current: JsonObject, given: JsonObject): string[] {
  return Object.keys(given).filter((name) => isSet(current[name]) && given[name] === undefined);
}

/** A row for each member that will not be what it is. */
export function changesOf(current: JsonObject, given: JsonObject): Table {
  const changed = Object.keys(given).filter((name) => textOf(current[name]) !== textOf(given[name]));
  return {
    title: 'What the replacement changes',
    columns: ['', 'Before', 'After'],
    rows: changed.map((name) => [
      heading(name),
      isSet(current[name]) ? cell(current[name]) : 'not set',
      given[name] === undefined ? 'dropped' : cell(given[name]),
    ]),
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}
