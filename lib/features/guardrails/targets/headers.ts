/**
 * Headers of a target that a file may have, because they say how to read a request and not who sends it. Both the name and
 * the value must be known: any other header counts as a secret.
 */

/** Words of headers that name an encoding, a language or a rule of caching; each list has its own. */
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

/** The form of the value, by the name in lower case. */
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

/** Words beside which a credential stands. */
const CREDENTIAL =
  /bearer|basic|digest|negotiate|token|secret|passw|credential|session|cookie|api.?key|\b(?:key|auth|pwd|sig)\b/i;

/** Reports whether a header may stand in a file. In doubt it may not. */
export function isHarmlessHeader(name: string, value: unknown): boolean {
  const form = /^[A-Za-z-]+$/.test(name) ? FORMS.get(name.toLowerCase()) : undefined;
  if (form === undefined || typeof value !== 'string' || value.length > LONGEST_VALUE) return false;
  return form.test(value) && !CREDENTIAL.test(value) && value.split(/[^A-Za-z0-9]+/).every(isWord);
}

/** Reports whether a run of letters and digits can be read: it is no part of a random text. */
function isWord(word: string): boolean {
  if (/^\d{0,8}$/.test(word)) return true;
  if (/\d/.test(word)) return word.length < 8;
  // Six consonants in a row are no word of a language.
  if (/[bcdfghjklmnpqrstvwxz]{6}/i.test(word)) return false;
  return (
    /^(?:[a-z]{1,16}|[A-Z]{1,8}|(?:[A-Z][a-z]+|[A-Z]{2,4}(?![a-z])){1,4}|[a-z]+[A-Z][a-z]+)$/.test(word) &&
    word.length <= 24
  );
}
