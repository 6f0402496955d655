/**
 * Parses YAML within bounds and in slices, so that a large document does not block other requests. Every part is
 * measured before it is composed.
 */
import { setImmediate as pause } from 'node:timers/promises';
import type { Composer, CST, Document, DocumentOptions, Node, ParseOptions, SchemaOptions } from 'yaml';
import { UsageError } from '../../core/errors.ts';
import { MAX_DEPTH } from '../../core/json.ts';

type Yaml = typeof import('yaml');
type Lines = InstanceType<Yaml['LineCounter']>;
type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** Limited, because each alias searches the document for its anchor. */
const ALIASES = 100;

/** Limits far above the largest playbooks of a platform. */
const MOST = { characters: 1_000_000, values: 60_000, lexemes: 600_000 };

/** Limits of a user's own file, which may describe a whole tenant. */
export const MOST_OF_A_TENANT: Limits = { characters: 20_000_000, values: 500_000, lexemes: 5_000_000 };

/** Limits of a document. */
export interface Limits {
  readonly characters: number;
  /** Members and elements. */
  readonly values: number;
  readonly lexemes: number;
}
/** Lexemes per slice; a slice takes some milliseconds. */
const SLICE = 2000;

const COUNTED: ReadonlySet<string | null> = new Set(['map-value-ind', 'seq-item-ind', 'comma', 'explicit-key-ind']);

export interface Parsed {
  readonly document: Document;
  readonly errors: readonly { readonly message: string; readonly at: number }[];
}

/**
 * Parses one document. Keys are not compared: `duplicateKeys` does that in linear time.
 * @param name for messages
 * @throws UsageError beyond a limit
 */
export async function parseSliced(
  text: string,
  name: string,
  lines: Lines,
  options: Options,
  most: Limits = MOST,
): Promise<Parsed> {
  if (text.length > most.characters) throw tooLarge(name, `${most.characters} characters`);
  const yaml = await import('yaml');
  const tokens = await tokensOf(text, { name, most, lines }, yaml);
  const all = { ...options, uniqueKeys: false, prettyErrors: false } as const;
  const errors: { message: string; at: number }[] = [];
  const composeTokens = (each: readonly CST.Token[]) => {
    const composer: Composer = new yaml.Composer(all);
    const documents = [...composer.compose(each, true, text.length)];
    for (const { message, pos } of documents.flatMap((document) => document.errors))
      if (!errors.some((error) => error.at === pos[0])) errors.push({ message, at: pos[0] });
    return documents;
  };
  const document = await composed(tokens, composeTokens, yaml);
  if (tokens.filter(({ type }) => type === 'document').length > 1) {
    errors.push({ message: 'The file has more than one document.', at: tokens.at(-1)?.offset ?? 0 });
  }
  return { document, errors };
}

async function tokensOf(
  text: string,
  { name, most, lines }: { readonly name: string; readonly most: Limits; readonly lines: Lines },
  yaml: Yaml,
): Promise<CST.Token[]> {
  const parser = new yaml.Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let [lexemes, values, aliases] = [0, 0, 0];
  lines.addNewLine(0);
  for (const lexeme of new yaml.Lexer().lex(text)) {
    const type = yaml.CST.tokenType(lexeme);
    if (COUNTED.has(type)) values += 1;
    if (type === 'alias') aliases += 1;
    if (values > most.values) throw tooLarge(name, `${most.values} members and elements`);
    if (aliases > ALIASES) throw tooLarge(name, `${ALIASES} aliases`);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH) {
      throw new UsageError(`${name} is nested deeper than ${MAX_DEPTH} levels.`);
    }
    lexemes += 1;
    if (lexemes > most.lexemes) throw tooLarge(name, `${most.lexemes} parts`);
    if (lexemes % SLICE === 0) await pause();
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

type ComposeTokens = (tokens: readonly CST.Token[]) => readonly Document[];

/** Composes the first document, its large collections in slices. */
async function composed(tokens: readonly CST.Token[], compose: ComposeTokens, yaml: Yaml): Promise<Document> {
  const at = tokens.findIndex(({ type }) => type === 'document');
  const token = tokens[at];
  const isLarge = largeTokens(SLICE);
  if (token?.type !== 'document' || token.value === undefined || !isLarge(token.value)) return first(compose(tokens));
  const directives = tokens.slice(0, at).filter(({ type }) => type === 'directive');
  const only = (value: CST.Token) =>
    first(compose([...directives, { type: 'document', offset: value.offset, start: [], value }])).contents;

  const nodeOf = async (value: CST.Token): Promise<unknown> => {
    if (!isLarge(value)) return only(value);
    const groups = withItems(value, SLICE);
    const node = only(groups.empty);
    if (!yaml.isCollection(node)) return node;
    for (const { token: group, large } of groups.parts) {
      await pause();
      const part = only(group);
      const items = yaml.isCollection(part) ? part.items : [];
      for (const item of items) (node.items as unknown[]).push(item);
      if (large === undefined) continue;
      const inside = (await nodeOf(large)) as Node & { anchor?: string };
      const last = node.items.at(-1);
      const placeholder: unknown = yaml.isPair(last) ? last.value : last;
      if (yaml.isScalar(placeholder) && placeholder.anchor !== undefined) inside.anchor = placeholder.anchor;
      if (yaml.isPair(last)) last.value = inside;
      else (node.items as unknown[])[node.items.length - 1] = inside;
    }
    return node;
  };

  const document = first(compose([...directives, { ...token, value: withItems(token.value, SLICE).empty }]));
  document.contents = (await nodeOf(token.value)) as typeof document.contents;
  return document;
}

function first(documents: readonly Document[]): Document {
  const [document] = documents;
  if (document === undefined) throw new Error('The composer returned no document.');
  return document;
}

function tooLarge(name: string, limit: string): UsageError {
  return new UsageError(`${name} has more than ${limit}.`, { hint: 'Split it into smaller documents.' });
}

/** Finds duplicate keys of mappings, in linear time. */
export function duplicateKeys(document: Document, { visit, isScalar }: Yaml): { message: string; at: number }[] {
  const found: { message: string; at: number }[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) found.push({ message: 'Map keys must be unique', at: key.range?.[0] ?? 0 });
        keys.add(key.value);
      }
    },
  });
  return found;
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;
type Item = Collection['items'][number];

export interface CollectionPart {
  readonly token: CST.Token;
  /** The value of the only item; the token omits this value, because it is itself large. */
  readonly large: CST.Token | undefined;
}

const sizes = new WeakMap<object, number>();

/** Returns a function that reports whether a token is a collection with more than `size` parts. */
export function largeTokens(most: number): (token: CST.Token) => boolean {
  return (token) => isCollection(token) && sizeOf(token) > most;
}

/** Divides a collection. @returns the collection without items, and its items in parts of about this size */
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

/** A tag decides how a value is composed, so tag and value stay together. */
function hasTag({ start, sep }: Item): boolean {
  return [...start, ...(sep ?? [])].some(({ type }) => type === 'tag');
}

/** The first item of a part has no item before it. */
function withoutComma({ type }: Collection, items: readonly Item[]): readonly Item[] {
  const [head, ...others] = items;
  if (type !== 'flow-collection' || head === undefined) return items;
  return [{ ...head, start: head.start.filter((token) => token.type !== 'comma') }, ...others];
}
