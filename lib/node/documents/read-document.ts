/** Parses YAML or JSON, and keeps the lines of its parts. The yaml package is loaded on first use. */
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { type Problem, UsageError, ValidationError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { located, type Path, type Source } from '../../core/places.ts';
import { duplicateKeys, type Limits, parseSliced } from './parse-sliced.ts';

type Yaml = typeof import('yaml');
type Lines = InstanceType<Yaml['LineCounter']>;

export interface ReadDocument {
  readonly value: JsonObject;
  readonly source: Source;
}

export interface DocumentKind {
  /** Such as `playbook`. */
  readonly noun: string;
  /** Describes the expected content of a document, for hints. */
  readonly contents: string;
  /** The version of YAML. Default: 1.2 */
  readonly yaml?: '1.1' | '1.2';
  /**
   * For documents that decide something: messages name the column too, and merge keys (`<<`) are rejected, because
   * parsers interpret them differently.
   */
  readonly strict?: boolean;
  /** Limits of the document. Default: the limits for a document that another user may have sent. */
  readonly limits?: Limits;
}

/**
 * Parses a YAML or JSON document.
 * @param name file name, for messages
 * @throws UsageError for syntax errors, or a document that is not a mapping
 */
export async function readDocument(text: string, name: string, kind: DocumentKind): Promise<ReadDocument> {
  const { noun, contents } = kind;
  const yaml = await import('yaml');
  const lineCounter = new yaml.LineCounter();
  const options = { version: kind.yaml ?? '1.2', logLevel: 'error' } as const;
  const plain = text.replace(/^\uFEFF/, '');
  const { document, errors: found } = await parseSliced(plain, name, lineCounter, options, kind.limits);
  const ordered = [...found, ...duplicateKeys(document, yaml)].toSorted((one, other) => one.at - other.at);
  const syntax = ordered.map(({ message, at }) => {
    const { line, col } = lineCounter.linePos(at);
    return { message: located(name, line, `not valid YAML at column ${col}: ${message}`), line };
  });
  const errors: Problem[] = [
    ...syntax,
    ...(kind.strict === true ? mergeKeysIn(document, name, lineCounter, yaml) : []),
  ];
  if (errors.length > 0) throw new ValidationError(errors, { hint: `A ${noun} is one YAML or JSON document.` });
  const value = plainValue(() => document.toJS({ maxAliasCount: 100 }));
  if (isObject(value)) {
    const places = placesOf(document, lineCounter, yaml);
    return { value, source: { file: name, ...places, showsColumns: kind.strict === true } };
  }
  throw new UsageError(`${name} is not a ${noun}.`, { hint: contents });
}

/** Converts a document. @returns undefined for unresolved or excessive aliases */
function plainValue(convert: () => unknown): unknown {
  try {
    return convert();
  } catch {
    return undefined;
  }
}

function mergeKeysIn(document: Document, name: string, lines: Lines, { visit, isScalar }: Yaml): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || (key.value !== '<<' && key.tag !== 'tag:yaml.org,2002:merge')) return;
      const { line, col } = lines.linePos(key.range?.[0] ?? 0);
      const message = 'merge keys (<<) are not supported: write the members out.';
      problems.push({ message: `${name}:${line}:${col}: ${message}`, line });
    },
  });
  return problems;
}

/** Creates a function that finds the place of a part: it descends from the top to the last part that exists. */
function placesOf(document: Document, lines: Lines, yaml: Yaml): Pick<Source, 'lineOf' | 'columnOf'> {
  const membersOf = memberSearch(yaml);
  const placeOf = (path: Path) => {
    let node: unknown = document.contents;
    let offset = document.contents?.range?.[0];
    for (const key of path) {
      if (yaml.isAlias(node)) node = node.resolve(document);
      const member: unknown = yaml.isMap(node) ? membersOf(node).get(String(key)) : undefined;
      const item: unknown = yaml.isSeq(node) ? node.items[Number(key)] : undefined;
      const start: unknown = yaml.isPair(member) ? member.key : item;
      if (!yaml.isNode(start)) break;
      offset = (start as Node).range?.[0] ?? offset;
      node = yaml.isPair(member) ? member.value : item;
    }
    return offset === undefined ? undefined : lines.linePos(offset);
  };
  return { lineOf: (path) => placeOf(path)?.line, columnOf: (path) => placeOf(path)?.col };
}

/** Indexes each mapping once, because searching the members of a mapping would get slower with every task. */
function memberSearch({ isScalar }: Yaml): (map: YAMLMap) => ReadonlyMap<string, Pair> {
  const known = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map) => {
    const found =
      known.get(map) ?? new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : '', pair]));
    known.set(map, found);
    return found;
  };
}
