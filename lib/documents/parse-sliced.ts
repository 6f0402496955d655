/**
 * Parses YAML within bounds and in slices, so that a large document does not block other requests. Nothing is composed
 * before its size is known.
 */
import { setImmediate as pause } from 'node:timers/promises';
import type { Composer, CST, Document, DocumentOptions, Node, ParseOptions, SchemaOptions } from 'yaml';
import { UsageError } from '../core/errors.ts';
import { MAX_DEPTH } from '../core/json.ts';
import { largeTokens, withItems } from './token-size.ts';

type Yaml = typeof import('yaml');
type Lines = InstanceType<Yaml['LineCounter']>;
type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** Each alias searches the document for its anchor. */
const ALIASES = 100;

/** Limits far above the largest playbooks of a platform. */
const MOST = { characters: 1_000_000, values: 60_000, lexemes: 600_000 };

/** Limits of a file that its own user reads, and that may hold what a whole tenant has. */
export const MOST_OF_A_TENANT: Limits = { characters: 20_000_000, values: 500_000, lexemes: 5_000_000 };

/** What a document may have. */
export interface Limits {
  readonly characters: number;
  /** Members and elements. */
  readonly values: number;
  readonly lexemes: number;
}
/** Lexemes of a slice, which takes some milliseconds. */
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

/** Finds keys that a mapping has twice, each mapping in linear time. */
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
