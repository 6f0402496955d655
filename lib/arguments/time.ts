/** Converts typed times to times of the wire. */
import { ValidationError } from '../core/errors.ts';
import { isoDate } from '../text/date.ts';

const UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const AGO = /^(\d+) ?(minute|hour|day|week)s?(?: ago)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Converts an argument built with `time` to `YYYY-MM-DDTHH:MM:SSZ`; undefined stays undefined.
 * @param now milliseconds since the epoch, the base of relative times
 * @param bound whether a day without a time means its start or its end
 * @throws ValidationError for a day or a time that does not exist
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
  // A date that does not exist stays unparsed, or is read as another day.
  if (typeof moment === 'string' && isoDate(Date.parse(moment)) === moment) {
    return bound === 'to' && DAY.test(text) ? moment.replace('T00:00:00Z', 'T23:59:59.999999Z') : moment;
  }
  throw new ValidationError([{ argument, message: `${argument}: there is no such day or time as "${text}".` }]);
}
