/** Shapes of members of LangChain's messages that have no words of anybody, so that they may pass unscanned. */
import { isPlain } from '../../readable/text.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Members whose value is a name. */
const NAMES: ReadonlySet<string> = new Set([
  ...['type', 'id', 'index', 'role', 'object', 'status', 'phase', 'name', 'output_version', 'finish_reason'],
  ...['stop_reason', 'stop_sequence', 'model', 'model_id', 'model_name', 'model_provider', 'provider'],
  ...['service_tier', 'system_fingerprint', 'tool_call_id', 'call_id'],
]);
const NAME = /^[\w.:/-]{1,100}$/;
/** Words in a name, such as those of a sentence with hyphens. */
const SENTENCE = /(?:[a-z]{2,}[-_.:/]){3}/iu;
/** The text once more, in pieces or in the form of the provider: no scan recognises it there. */
const PIECES = /^(?:log_?probs(?:_?result)?|__raw_response)$/iu;

/** Returns what of a value may have words; undefined if nothing has. Numbers, names and keys have none. */
export function wordsIn(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return value === '' || isName(value, name) ? undefined : value;
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? value : undefined;
  const isList = Array.isArray(value);
  // Whoever reads it refuses an object of a class.
  if (!isList && !isPlain(value)) return value;
  const found = Object.entries(value).flatMap(([key, each]) => {
    const words = wordsIn(each, isList ? name : key);
    return words === undefined && (isList || isKey(key)) ? [] : [[key, words ?? true] as const];
  });
  if (found.length === 0) return undefined;
  return isList ? found.map(([, words]) => words) : Object.fromEntries(found);
}

function isName(value: string, name: string): boolean {
  return NAMES.has(name) && NAME.test(value) && !SENTENCE.test(value);
}

function isKey(key: string): boolean {
  return /^[\w.-]{1,64}$/.test(key);
}

/** Returns the members without words. */
export function withoutWords(members: Fields = {}): Fields {
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => wordsIn({ [name]: value }) === undefined),
  );
}

/** Returns the members without text in pieces. */
export function wholeIn(members: Fields = {}): Fields {
  const isWhole = ([name, value]: [string, unknown]) => !PIECES.test(name) || wordsIn(value) === undefined;
  return Object.fromEntries(Object.entries(members).filter(isWhole));
}
