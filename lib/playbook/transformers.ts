/** Transformers of values, by the platform's names. */
import { UsageError } from '../core/errors.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface Transformer {
  readonly args: readonly string[];
  readonly apply: (value: unknown, args: Arguments) => unknown;
}

const TRANSFORMERS = {
  count: plain((value) => itemsOf(value).length),
  uniq: plain((value) => Array.from(new Map(itemsOf(value).map((item) => [JSON.stringify(item), item])).values())),
  toLowerCase: each((text) => text.toLowerCase()),
  toUpperCase: each((text) => text.toUpperCase()),
  slice: {
    args: ['from', 'to'],
    apply: (value, { from, to }) => itemsOf(value).slice(indexOf('from', from) ?? 0, indexOf('to', to)),
  },
} as const satisfies Record<string, Transformer>;

export type TransformerName = keyof typeof TRANSFORMERS;

export const TRANSFORMER_NAMES: readonly string[] = Object.keys(TRANSFORMERS);

export function isTransformer(name: string): name is TransformerName {
  return Object.hasOwn(TRANSFORMERS, name);
}

export function argumentsOf(name: TransformerName): readonly string[] {
  return TRANSFORMERS[name].args;
}

/** Transforms a value. @throws UsageError for arguments that are not numbers where the transformer counts */
export function transform(name: TransformerName, value: unknown, args: Arguments): unknown {
  const { apply }: Transformer = TRANSFORMERS[name];
  return apply(value, args);
}

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
