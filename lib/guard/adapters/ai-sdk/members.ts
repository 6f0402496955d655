/** What of a part of an answer has text: everything but a list of shapes. */
import { isObject } from '../../../core/json.ts';
import { isPlain } from '../../readable/text.ts';

type Values = Readonly<Record<string, unknown>>;

/** Members with words of the protocol. */
const CLOSED: ReadonlySet<string> = new Set([
  ...['type', 'toolName', 'sourceType', 'mediaType', 'kind', 'inputEncoding', 'finishReason', 'unified', 'raw'],
  ...['usage', 'serviceTier', 'service_tier', 'trafficType', 'category', 'probability', 'severity'],
]);
const PIECES = /^log_?probs/i;
const WORD = /^[\w.:/+@-]{1,100}$/;
const ID_NAME = /(?:^id|Id|ID|_id)$/;
/** Members that a provider encrypts for itself. */
const ENCRYPTED_NAME = /signature|encrypted|redacted/i;
const ENCRYPTED = /^[\w+/=-]+$/;
/** Numbers below are shorter than those of cards. */
const SHORT = 1e13;

/** Returns a value without what may pass unscanned: ids, words of the protocol, short numbers. Undefined where nothing is left. */
export function readableIn(value: unknown, name = ''): unknown {
  if (value === undefined || value === null || typeof value === 'boolean' || value instanceof Date) return undefined;
  if (typeof value === 'number') return Math.abs(value) < SHORT ? undefined : value;
  if (typeof value === 'string') return isClosed(name, value) ? undefined : value;
  if (value instanceof Error) return readableIn(errorContent(value));
  if (Array.isArray(value)) {
    const left = value.map((each) => readableIn(each, name)).filter((each) => each !== undefined);
    return left.length === 0 ? undefined : left;
  }
  return typeof value === 'object' && isPlain(value) ? membersIn(value as Values, name) : value;
}

function membersIn(value: Values, owner: string): Values | undefined {
  const left = Object.entries(value).flatMap(([name, each]) => {
    const found = WORD.test(name) ? readableIn(each, owner === 'usage' ? owner : name) : each;
    return found === undefined ? [] : [[name, found] as const];
  });
  if (left.length === 0) return undefined;
  // A file is read by its type.
  const { type, mediaType } = value;
  return { ...(mediaType === undefined ? {} : { type, mediaType }), ...Object.fromEntries(left) };
}

function isClosed(name: string, value: string): boolean {
  if (value === '') return true;
  if (ENCRYPTED_NAME.test(name)) return ENCRYPTED.test(value);
  return (CLOSED.has(name) || ID_NAME.test(name)) && WORD.test(value);
}

/** Drops log probabilities: they have the text of an answer in pieces. */
export function withoutPieces<Owner extends Values>(owner: Owner): Owner {
  const { providerMetadata } = owner;
  if (!isObject(providerMetadata)) return owner;
  const kept = Object.entries(providerMetadata).map(([provider, values]) => {
    if (!isObject(values)) return [provider, values];
    return [provider, Object.fromEntries(Object.entries(values).filter(([name]) => !PIECES.test(name)))];
  });
  return { ...owner, providerMetadata: Object.fromEntries(kept) };
}

/** Returns an error in a form that can be read: its message, its other members, and what caused it. */
export function errorContent(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  // The request is the application's own.
  const { requestBodyValues: _, responseHeaders: __, name: ___, cause, ...members } = thrown as unknown as Values;
  const cases = cause === undefined ? {} : { cause: errorContent(cause) };
  const all = { ...members, ...cases };
  return Object.keys(all).length === 0 ? thrown.message : { message: thrown.message, ...all };
}
