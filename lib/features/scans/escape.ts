/**
 * HTML that is safe by construction: only the `html` template creates it, and it escapes every value.
 * Scan results are hostile text, so there is no other way to write to the page.
 */
import { nameOf, UNSEEN_IN_TEXT, wellFormed } from '../../core/redaction/characters.ts';

/** Trusted markup. The class is not exported, so data cannot be mistaken for markup. */
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

/** Template tag: escapes strings and numbers, and omits `undefined`. Attributes must be quoted. */
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

/** Escapes text for elements and quoted attributes, and makes invisible characters visible. */
export function escaped(text: string): string {
  return seen(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const JOINERS = /[\u200c\u200d]/;
// Emoji sequences and these scripts need joiners.
const JOINED = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}]$/u;

/** Writes control, bidi and zero-width characters as `<U+202E>`. */
function seen(text: string): string {
  return wellFormed(text.replace(LINE_ENDS, '\n')).replace(UNSEEN_IN_TEXT, (character, at: number, whole: string) => {
    const joins = JOINERS.test(character) && JOINED.test(whole.slice(Math.max(0, at - 2), at));
    return joins ? character : nameOf(character);
  });
}

/** Renders a link for an http(s) address, which opens outside of a frame around the page, and plain text for anything else. */
export function link(address: string): Html {
  const most = 300;
  if (!/^https?:\/\/[^\s/]/i.test(address) || address.length > most) return html`<bdi>${address.slice(0, most)}</bdi>`;
  return html`<a href="${address}" target="_blank" rel="noopener noreferrer nofollow"><bdi>${address}</bdi></a>`;
}
