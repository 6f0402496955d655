/** Walks the texts of values whose form a framework checks: words of its protocol stay as they are. */

/** Tells a word of a protocol, such as a type or an id, from a text. */
export type IsSign = (member: string, value: unknown) => boolean;

export type Values = Readonly<Record<string, unknown>>;

/** Rewrites every text of a value, and keeps its form. */
export async function withTexts(
  value: unknown,
  isSign: IsSign,
  rewrite: (text: string) => string | Promise<string>,
  member = '',
): Promise<unknown> {
  if (typeof value === 'string') return value === '' || isSign(member, value) ? value : rewrite(value);
  if (Array.isArray(value)) return Promise.all(value.map((each) => withTexts(each, isSign, rewrite, member)));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value).map(
    async ([name, each]) => [name, await withTexts(each, isSign, rewrite, name)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Returns a value of a protocol without its signs; undefined if nothing is left that has to be scanned.
 * @param own members whose values are of the protocol too: below any other member everything is text
 */
export function withoutSigns(value: unknown, isSign: IsSign, own: ReadonlySet<string>): unknown {
  if (isEmpty(value)) return undefined;
  if (Array.isArray(value)) {
    const kept = value.map((each) => withoutSigns(each, isSign, own)).filter((each) => each !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  // What is no plain object is the reader's to refuse.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value as Values).flatMap(([name, each]) => {
    if (isEmpty(each) || isSign(name, each)) return [];
    const inner = own.has(name) ? withoutSigns(each, isSign, own) : each;
    return isEmpty(inner) ? [] : [[name, inner] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Returns a value with members; anything else has none. */
export function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}
