/** Finds declared secrets: fields of records, in the context and in outputs. */

import { isObject, objectOf } from '../../../lib/core/json.ts';
import type { Format } from '../../../lib/hosts/terminal/line/options.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';

interface Declared {
  readonly path: string;
  readonly fields: readonly string[];
}

function declaredBy({ output, job }: Command): Declared[] {
  const records = [output.record, ...(job === undefined ? [] : [job.output.record])];
  return records.map(({ path, fields }) => ({
    path,
    fields: Object.keys(fields).filter((name) => fields[name]?.secret === true),
  }));
}

/** A result as printed, or returned as entries, without the fields that are declared to hold a secret. */
export function withoutDeclared(text: string, format: Format, command: Command): string {
  const declared = declaredBy(command);
  const all = { path: '', fields: declared.flatMap(({ fields }) => fields) };
  const parsed = (line: string): unknown => JSON.parse(line);
  switch (format) {
    case 'json': {
      const value = objectOf(parsed(text));
      return JSON.stringify({ ...value, outputs: contextWithout(value['outputs'], declared) });
    }
    case 'jsonl':
      return text
        .split('\n')
        .map((line) => (line === '' ? '' : JSON.stringify(without(parsed(line), all))))
        .join('\n');
    case 'context': {
      const value = parsed(text);
      const isContext = isObject(value) && declared.some(({ path }) => path in value);
      return JSON.stringify(isContext ? contextWithout(value, declared) : without(value, all));
    }
    case 'entry':
      return JSON.stringify(entryWithout(parsed(text), declared));
    default:
      return text;
  }
}

function entryWithout(value: unknown, declared: readonly Declared[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => entryWithout(entry, declared));
  return { ...objectOf(value), EntryContext: contextWithout(objectOf(value)['EntryContext'], declared) };
}

function contextWithout(context: unknown, declared: readonly Declared[]): unknown {
  const paths = Object.entries(objectOf(context)).map(([key, value]) => {
    const own = declared.find(({ path }) => key === path || key.startsWith(`${path}(`));
    return [key, own === undefined ? value : without(value, own)] as const;
  });
  return Object.fromEntries(paths);
}

function without(value: unknown, declared: Declared): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, declared));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !declared.fields.includes(name)));
}
