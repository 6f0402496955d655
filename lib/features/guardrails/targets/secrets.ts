/** Secrets inside a target's connection: a file leaves them out, and lists their places. */

import { PreconditionError } from '../../../core/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import type { SecretSource } from '../../../core/ports.ts';
import { redaction } from '../../../core/redaction/redact.ts';
import { sourceOf } from '../../../runtime/arguments/masked-line.ts';

/** Members in which every value may be a secret, whatever its name. */
const ALL_SECRET = /headers?$|^oauth2?_|^auth|^cookies?$/i;
/** Members of that list whose harmless headers may be shown. */
const HEADERS = /^(?:request_)?headers$/i;
const SECRET = /^(?:access_id|.*_json_key|token_cache_json)$/i;
const MASKED = /"\*{3,}"/;

const { value: redacted } = redaction({ secrets: [], showContent: true });

/** A value without its secrets. */
export interface Public {
  readonly value: unknown;
  /** Paths of the secrets that were left out, such as `connection_params.request_headers.X-Key`. */
  readonly needs: readonly string[];
}

/** Leaves out the secrets of a member. @param path of the member */
export function withoutTargetSecrets(value: unknown, path: string): Public {
  const needs: string[] = [];
  return { value: stripped(value, { path, all: false, needs }), needs };
}

interface Place {
  readonly path: string;
  /** Name of the member that contains it. */
  readonly inside?: string;
  /** An enclosing member contains only secrets. */
  readonly all: boolean;
  readonly needs: string[];
}

function stripped(value: unknown, { path, inside = '', all, needs }: Place): unknown {
  if (!isObject(value)) {
    if (!all && !isMasked(value)) return value;
    needs.push(path);
    return undefined;
  }
  const isHeaders = all && HEADERS.test(inside);
  const members = Object.entries(value).map(([name, member]) => {
    if (isHeaders && isHarmless(name, value)) return [name, member] as const;
    const isAll = all || ALL_SECRET.test(name);
    // Everything inside a secret member is secret, whatever its name.
    const place = { path: `${path}.${name}`, ...(all ? {} : { inside: name }), all: isAll, needs };
    const isSecret = SECRET.test(name) || !isSame({ [name]: leafOf(member) }, redacted({ [name]: leafOf(member) }));
    return [name, isEmpty(member) ? undefined : stripped(member, { ...place, all: place.all || isSecret })] as const;
  });
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

/** Reports whether a header may be shown; two headers with the same name may not, because only one of them is sent. */
function isHarmless(name: string, headers: JsonObject): boolean {
  const same = Object.keys(headers).filter((each) => each.toLowerCase() === name.toLowerCase());
  return same.length === 1 && isHarmlessHeader(name, headers[name]);
}

/** For an object only the name counts, because its members are checked separately. */
const leafOf = (value: unknown) => (isObject(value) ? { of: 1 } : value);

/** Reports whether the service has hidden the value, or a part of a list, or a file names its source. */
function isMasked(value: unknown): boolean {
  return value !== undefined && (MASKED.test(JSON.stringify(value)) || sourceOf(value) !== undefined);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Splits a member of a file into the values to compare, and the paths of the secrets that it states. */
export function withoutNeeded(value: unknown, path: string, needs: ReadonlySet<string>): Public {
  const stated: string[] = [];
  const walk = (inner: unknown, at: string): unknown => {
    if (needs.has(at)) {
      stated.push(at);
      return undefined;
    }
    if (!isObject(inner)) return inner;
    const members = Object.entries(inner).map(([name, member]) => [name, walk(member, `${at}.${name}`)] as const);
    return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
  };
  return { value: walk(value, path), needs: stated };
}

/** Lists the variables and files that a member names, with the place of each. @param path of the member */
export function sourcesIn(value: unknown, path: string): readonly (readonly [path: string, what: string])[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member]) => sourcesIn(member, `${path}.${name}`));
  }
  const source = typeof value === 'string' ? sourceOf(value) : undefined;
  if (source === undefined) return [];
  return [[path, `${source.kind === 'env' ? 'the variable' : 'the file'} ${source.name}`]];
}

/**
 * Reads the secrets that a member names, as in `@env:NAME` and `@file:PATH`. @throws PreconditionError for a source
 * without text
 */
export async function withNamedSecrets(value: JsonObject, secret: SecretSource): Promise<JsonObject> {
  const walk = async (inner: unknown): Promise<unknown> => {
    if (Array.isArray(inner)) return Promise.all(inner.map(walk));
    if (isObject(inner)) {
      const members = Object.entries(inner).map(async ([name, member]) => [name, await walk(member)] as const);
      return Object.fromEntries(await Promise.all(members));
    }
    const source = typeof inner === 'string' ? sourceOf(inner) : undefined;
    if (source === undefined) return inner;
    const text = await secret(source.kind, source.name);
    if (text !== undefined && text !== '') return text;
    const what =
      source.kind === 'env' ? `The variable ${source.name} is not set.` : `The file ${source.name} has no text.`;
    throw new PreconditionError(what, { hint: 'The file names it as a secret of a target.' });
  };
  return objectOf(await walk(value));
}

/** Words in headers that name an encoding, a language or a caching rule; each list has its own words. */
const ENCODING = String.raw`(?:gzip|x-gzip|deflate|br|zstd|compress|identity|\*)`;
const LANGUAGE = String.raw`(?:[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?|\*)`;
const CHARSET = String.raw`(?:utf-(?:8|16|32)|us-ascii|iso-8859-\d{1,2}|windows-\d{3,4}|\*)`;
const CACHING = String.raw`(?:no-(?:cache|store|transform)|only-if-cached|(?:max-age|min-fresh|max-stale)=\d{1,8})`;
const MEDIA = String.raw`(?:(?:application|audio|font|image|message|model|multipart|text|video)/(?:\*|[a-z][a-z0-9.+-]*)|\*/\*)`;
const QUALITY = String.raw`(?: ?; ?q=[01](?:\.\d{1,3})?)?`;
/** A product with its version, then products and comments. */
const PRODUCTS = String.raw`[a-z][\w.-]*/\d[\w.]*(?:[ ;,()]+[\w.+/-]+)*\)?`;

const one = (item: string) => new RegExp(`^${item}$`, 'i');
const list = (item: string) => one(`${item}${QUALITY}(?: ?, ?${item}${QUALITY})*`);

/** The pattern for the value, by the header name in lower case. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['accept', list(MEDIA)],
  ['accept-charset', list(CHARSET)],
  ['accept-encoding', list(ENCODING)],
  ['accept-language', list(LANGUAGE)],
  ['cache-control', one(`${CACHING}(?: ?, ?${CACHING})*`)],
  ['content-encoding', one(ENCODING)],
  ['content-language', list(LANGUAGE)],
  ['content-type', one(`${MEDIA}(?: ?; ?(?:charset="?${CHARSET}"?|version=\\d(?:\\.\\d)?))?`)],
  ['pragma', one('no-cache')],
  ['user-agent', one(PRODUCTS)],
]);

const LONGEST_VALUE = 200;

/** Words that usually appear next to a credential. */
const CREDENTIAL =
  /bearer|basic|digest|negotiate|token|secret|passw|credential|session|cookie|api.?key|\b(?:key|auth|pwd|sig)\b/i;

/**
 * Reports whether a header may appear in a file, because it says how to read a request and not who sends it. Both name
 * and value must be known; any other header counts as a secret.
 */
export function isHarmlessHeader(name: string, value: unknown): boolean {
  const form = /^[A-Za-z-]+$/.test(name) ? FORMS.get(name.toLowerCase()) : undefined;
  if (form === undefined || typeof value !== 'string' || value.length > LONGEST_VALUE) return false;
  return form.test(value) && !CREDENTIAL.test(value) && value.split(/[^A-Za-z0-9]+/).every(isWord);
}

/** Reports whether a run of letters and digits is readable, so not part of a random string. */
function isWord(word: string): boolean {
  if (/^\d{0,8}$/.test(word)) return true;
  if (/\d/.test(word)) return word.length < 8;
  // No word has six consonants in a row.
  if (/[bcdfghjklmnpqrstvwxz]{6}/i.test(word)) return false;
  return (
    /^(?:[a-z]{1,16}|[A-Z]{1,8}|(?:[A-Z][a-z]+|[A-Z]{2,4}(?![a-z])){1,4}|[a-z]+[A-Z][a-z]+)$/.test(word) &&
    word.length <= 24
  );
}
