/** Reads the text of a message of MCP that a model, a tool or a person may see. */
import { isObject, type JsonObject } from '../../../core/json.ts';

const MEDIA = ['image', 'audio'];
/** The service scans no files; any other long text in this alphabet is not readable either. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Types of files that are texts, which a host decodes and shows to its model. */
const TEXT_FILE = /^text\/|[/+](?:json|xml|yaml|javascript|typescript|sql|toml)\b|^$/i;
/** Members of `_meta` that carry the protocol, with the types that they may have. */
const ENVELOPE =
  /^(?:progressToken|io\.modelcontextprotocol\/(?:protocolVersion|clientInfo|clientCapabilities|logLevel))$/;
const NUMBERS = ['progress', 'total', 'ttlMs'];
const SIGNS = ['resultType complete', 'cacheScope public', 'cacheScope private'];
/** An id or a token without words. */
const TOKEN = /^[\w-]{1,64}$/;

/**
 * Joins the texts of a value, unescaped, with the names of its members. Data of images and of audio, and files that are no
 * texts, are left out.
 * @throws RangeError for a value that is nested too deeply
 */
export function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return lines(value.map(readable));
  if (!isObject(value)) return '';
  const { type, text, ...rest } = value;
  if (type === 'text' && typeof text === 'string' && Object.keys(rest).length === 0) return text;
  return lines(Object.entries(value).map(([name, member]) => memberOf(value, name, member)));
}

function memberOf(holder: JsonObject, name: string, value: unknown): string {
  if (isFile(holder, name, value)) return fileText(holder, value);
  const text = readable(value);
  // A name is text as well, whatever its value.
  return text === '' ? name : `${name}: ${text}`;
}

function isFile({ type }: JsonObject, name: string, value: unknown): value is string {
  if (typeof value !== 'string' || !BASE64.test(value)) return false;
  return name === 'blob' || (name === 'data' && MEDIA.includes(String(type)));
}

function fileText({ mimeType, type }: JsonObject, data: string): string {
  if (MEDIA.includes(String(type)) || !TEXT_FILE.test(typeof mimeType === 'string' ? mimeType : '')) return '';
  const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''));
  return new TextDecoder().decode(Uint8Array.from(binary, (unit) => unit.charCodeAt(0)));
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** Reads a result; a structured content that its text repeats is read once. */
export function resultText(result: JsonObject): string {
  const { structuredContent, content, ...rest } = result;
  const said = readable(content);
  const isRepeated = structuredContent === undefined || said === JSON.stringify(structuredContent);
  return lines([said, isRepeated ? '' : readable(structuredContent), readable(withoutSigns(rest))]);
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
