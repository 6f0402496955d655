/** Marks what a masked text hides: `My card is [Credit Card Number: XXXX].` */

import { list, numberOf, object, stringOf, textOf } from '../../core/received.ts';

/** Reads a masked text with the places of its patterns. */
export const readMasked = object({
  data: stringOf,
  pattern_detections: list({ pattern: textOf, locations: placesIn }),
});

type Masked = ReturnType<typeof readMasked>;
type Place = readonly [start: number, end: number];

/** Matches a masked place: a repeated masking character, with separators that were kept. */
const HIDDEN = /^([Xx*#\u2022\u2588])(?:(?:\1|[-\s.,:/()+])*\1)?$/;

function placesIn(value: unknown): readonly Place[] {
  return Array.isArray(value) ? value.filter(isPlace) : [];
}

function isPlace(value: unknown): value is Place {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [start, end] = value.map(numberOf);
  if (start === undefined || end === undefined) return false;
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start < end;
}

/**
 * Puts each masked place in brackets, with the name of its pattern. Places are counted in characters, where it is not
 * known whether a surrogate pair is one. Where no count fits what was masked, the text stays without marks: a mark in
 * the wrong place would say that something else was hidden.
 */
export function markedText({ data = '', pattern_detections }: Masked): string {
  const places = pattern_detections
    .flatMap(({ pattern = 'masked', locations }) => locations.map(([start, end]) => ({ pattern, start, end })))
    .sort((one, other) => one.start - other.start || other.end - one.end);
  for (const characters of [data.split(''), Array.from(data)]) {
    let [text, from] = ['', 0];
    const fits = places.every(
      ({ start, end }) => HIDDEN.test(characters.slice(start, end).join('')) && end <= characters.length,
    );
    if (!fits) continue;
    for (const { pattern, start, end } of places) {
      // Two patterns may have found the same place.
      if (start < from) continue;
      text += `${characters.slice(from, start).join('')}[${pattern}: ${characters.slice(start, end).join('')}]`;
      from = end;
    }
    return text + characters.slice(from).join('');
  }
  return data;
}
