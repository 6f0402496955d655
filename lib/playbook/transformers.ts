/** Transformers of values, by the platform's names. */
import { UsageError } from '../core/errors.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface Transformer {
  readonly args: readonly string[];
  readonly apply: (value: unknown, args: Arguments) => unknown;
}

/** Each throws a UsageError for arguments that are not numbers where it counts. */
export const TRANSFORMERS = {
  count: plain((value) => itemsOf(value).length),
  uniq: plain((value) => Array.from(new Map(itemsOf(value).map((item) => [JSON.stringify(item), item])).values())),
  toLowerCase: each((text) => text.toLowerCase()),
  toUpperCase: each((text) => text.toUpperCase()),
  slice: {
    args: ['from', 'to'],
    apply: (value, { from, to }) => itemsOf(value).slice(indexOf('from', from) ?? 0, indexOf('to', to)),
  },
} satisfies Record<string, Transformer>;

export type TransformerName = keyof typeof TRANSFORMERS;

function plain(apply: (value: unknown) => unknown): Transformer {
  return { args: [], apply };
}

function each(change: (text: string) => string): Transformer {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    return typeof value === 'string' ? change(value) : value;
  };
  return plain(changed);
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function indexOf(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const index = Number(value);
  if (Number.isInteger(index)) return index;
  throw new UsageError(`"${String(value).slice(0, 60)}" is not a whole number, and slice needs it for "${name}".`);
}
