/**
 * HTML that is safe by construction: nothing but the `html` template makes it, and every value in it is escaped.
 * What a scan reports is hostile by profession, so no text reaches the page on another way.
 */
import { nameOf, UNSEEN_IN_TEXT, wellFormed } from '../redaction/characters.ts';

/** Markup of our own. Its class stays in this file: data cannot pass for it. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Html = Markup;
export type Shown = string | number | Html | undefined | readonly (Html | undefined)[];

/** The template: texts and numbers in it are escaped, `undefined` is nothing. Attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return new Markup(parts.map((part, index) => part + markupOf(values[index])).join(''));
}

function markupOf(value: Shown): string {
  if (value === undefined) return '';
  if (typeof value === 'object') return value instanceof Markup ? value.toString() : value.map(markupOf).join('');
  return escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** The text as it may stand between tags and in a quoted attribute, with everything unseen in it made visible. */
export function escaped(text: string): string {
  return seen(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const JOINERS = /[\u200c\u200d]/;
// Pictures are joined out of several, and these scripts need joiners to be written.
const JOINED = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}]$/u;

/** Controls, overrides of the direction and characters without width read `<U+202E>`. */
function seen(text: string): string {
  return wellFormed(text.replace(LINE_ENDS, '\n')).replace(UNSEEN_IN_TEXT, (character, at: number, whole: string) => {
    const joins = JOINERS.test(character) && JOINED.test(whole.slice(Math.max(0, at - 2), at));
    return joins ? character : nameOf(character);
  });
}

/** A link where the address is one of the web; anything else is shown and leads nowhere. */
export function link(address: string): Html {
  const most = 300;
  if (!/^https?:\/\/[^\s/]/i.test(address) || address.length > most) return html`<bdi>${address.slice(0, most)}</bdi>`;
  return html`<a href="${address}" rel="noopener noreferrer nofollow"><bdi>${address}</bdi></a>`;
}
