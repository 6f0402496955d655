/** Transformers of values, by the platform's names. */

type Transform = (value: unknown) => unknown;

const TRANSFORMERS = {
  count: (value) => itemsOf(value).length,
  uniq: (value) => Array.from(new Map(itemsOf(value).map((item) => [JSON.stringify(item), item])).values()),
  toLowerCase: each((text) => text.toLowerCase()),
  toUpperCase: each((text) => text.toUpperCase()),
} as const satisfies Record<string, Transform>;

export type TransformerName = keyof typeof TRANSFORMERS;

export const TRANSFORMER_NAMES: readonly string[] = Object.keys(TRANSFORMERS);

export function isTransformer(name: string): name is TransformerName {
  return Object.hasOwn(TRANSFORMERS, name);
}

export function transform(name: TransformerName, value: unknown): unknown {
  return TRANSFORMERS[name](value);
}

function each(change: (text: string) => string): Transform {
  const changed: Transform = (value) => {
    if (Array.isArray(value)) return value.map(changed);
    return typeof value === 'string' ? change(value) : value;
  };
  return changed;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
