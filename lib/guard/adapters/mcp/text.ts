/** Reads the text of a message of MCP that a model, a tool or a person may see. */
import { isObject, type JsonObject } from '../../../core/json.ts';
import { contentText } from '../../readable.ts';

/** Members of `_meta` that carry the protocol, with the types that they may have. */
const ENVELOPE =
  /^(?:progressToken|io\.modelcontextprotocol\/(?:protocolVersion|clientInfo|clientCapabilities|logLevel))$/;
const NUMBERS = ['progress', 'total', 'ttlMs'];
const SIGNS = ['resultType complete', 'cacheScope public', 'cacheScope private'];
/** An id or a token without words. */
const TOKEN = /^[\w-]{1,64}$/;

/** Reads a result; a structured content that its text repeats is read once. */
export function resultText(result: JsonObject): string {
  const { structuredContent, content, ...rest } = result;
  const said = contentText(content);
  const isRepeated = structuredContent === undefined || said === JSON.stringify(structuredContent);
  const texts = [said, isRepeated ? '' : contentText(structuredContent), contentText(withoutSigns(rest))];
  return texts.filter((text) => text !== '').join('\n');
}

/** Returns what is left without the members that steer the protocol, in the form that they must have. */
export function withoutSigns(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => !isSign(name, member)));
}

function isSign(name: string, value: unknown): boolean {
  if (NUMBERS.includes(name)) return typeof value === 'number';
  if (name === 'isError') return typeof value === 'boolean';
  return SIGNS.includes(`${name} ${String(value)}`) && typeof value === 'string';
}

/** Returns the parameters without the envelope of the protocol. */
export function contentOf(params: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (meta === undefined) return rest;
  if (!isObject(meta)) return params;
  const kept = Object.entries(meta).filter(([name, value]) => !isEnvelope(name, value));
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
}

function isEnvelope(name: string, value: unknown): boolean {
  return ENVELOPE.test(name) && (name !== 'progressToken' || isToken(value));
}

/** Returns true for an id without words. */
export function isToken(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && TOKEN.test(value));
}
