/** From a time as people type it to a time as it travels. */
import { ValidationError } from '../errors.ts';
import { isoDate } from '../output/date.ts';

const UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const AGO = /^(\d+) ?(minute|hour|day|week)s?(?: ago)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The moment that an argument made with `time` means, as `YYYY-MM-DDTHH:MM:SSZ`; undefined where none was given.
 * @param now milliseconds since the epoch, from which "ago" is counted
 * @param bound whether a day without a time is meant from its beginning, or up to its end
 * @throws ValidationError for a day or a time that no calendar has
 */
export function momentOf(
  argument: string,
  text: string | undefined,
  now: number,
  bound: 'from' | 'to' = 'from',
): string | undefined {
  if (text === undefined) return undefined;
  const ago = AGO.exec(text);
  const past = ago === null ? 0 : Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  const moment = isoDate(ago !== null || text === 'now' ? now - past : text);
  // What no calendar has stays as it was typed, or becomes another day when it is read.
  if (typeof moment === 'string' && isoDate(Date.parse(moment)) === moment) {
    return bound === 'to' && DAY.test(text) ? moment.replace('T00:00:00Z', 'T23:59:59.999999Z') : moment;
  }
  throw new ValidationError([{ argument, message: `${argument}: there is no such day or time as "${text}".` }]);
}
