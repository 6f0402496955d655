/** Divides large YAML collections, as tokens, into parts that can be composed one after the other. */
import type { CST } from 'yaml';

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;
type Item = Collection['items'][number];

export interface CollectionPart {
  readonly token: CST.Token;
  /** The value of its only item, which the token leaves out because it is large itself. */
  readonly large: CST.Token | undefined;
}

const sizes = new WeakMap<object, number>();

/** Returns the function that reports whether a token is a collection of more parts than this. */
export function largeTokens(most: number): (token: CST.Token) => boolean {
  return (token) => isCollection(token) && sizeOf(token) > most;
}

/** Divides a collection. @returns it without items, and its items in parts of about this size */
export function withItems(token: CST.Token, most: number): { empty: CST.Token; parts: readonly CollectionPart[] } {
  if (!isCollection(token)) return { empty: token, parts: [] };
  const like = (items: readonly Item[]) => {
    const offset = offsetOf(items[0]) ?? token.offset;
    return { ...token, offset, items: withoutComma(token, items) } as CST.Token;
  };
  const parts: CollectionPart[] = [];
  let [group, size]: [Item[], number] = [[], 0];
  const flush = () => {
    if (group.length > 0) parts.push({ token: like(group), large: undefined });
    [group, size] = [[], 0];
  };
  for (const item of token.items) {
    const own = itemSize(item);
    if (size + own > most) flush();
    if (own > most && isCollection(item.value) && !hasTag(item)) {
      const { value, ...placeholder } = item;
      parts.push({ token: like([placeholder]), large: value });
    } else {
      group.push(item);
      size += own;
    }
  }
  flush();
  return { empty: like([]), parts };
}

function isCollection(token: CST.Token | null | undefined): token is Collection {
  return token?.type === 'block-map' || token?.type === 'block-seq' || token?.type === 'flow-collection';
}

function sizeOf(token: CST.Token | null | undefined): number {
  if (!isCollection(token)) return 1;
  const known = sizes.get(token);
  if (known !== undefined) return known;
  let size = 1;
  for (const item of token.items) size += itemSize(item);
  sizes.set(token, size);
  return size;
}

function itemSize({ start, key, sep, value }: Item): number {
  return start.length + (sep?.length ?? 0) + sizeOf(key) + sizeOf(value);
}

/** A part begins where its first item does, because the length of a key is measured from there. */
function offsetOf(item: Item | undefined): number | undefined {
  return (item?.start[0] ?? item?.key ?? item?.sep?.[0] ?? item?.value)?.offset;
}

/** A tag decides how its value is composed, so both stay together. */
function hasTag({ start, sep }: Item): boolean {
  return [...start, ...(sep ?? [])].some(({ type }) => type === 'tag');
}

/** The first item of a part follows no other item. */
function withoutComma({ type }: Collection, items: readonly Item[]): readonly Item[] {
  const [head, ...others] = items;
  if (type !== 'flow-collection' || head === undefined) return items;
  return [{ ...head, start: head.start.filter((token) => token.type !== 'comma') }, ...others];
}
