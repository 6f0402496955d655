/**
 * Normalizes dates to `YYYY-MM-DDTHH:MM:SSZ`, whatever format the service uses. Text that is not a date is left unchanged.
 */
const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s?(Z|UTC|[+-]\d{2}:?\d{2})?(?: UTC)?)?$/i;

const DAY = '(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31';
/** A valid date in the target format, possibly with a fraction of a second. */
const USUAL = new RegExp(`^\\d{4}-(?:${DAY})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:[.]\\d+)?Z$`);
const TO_SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/** Normalizes a date. @param value text as the service sent it, or milliseconds since the epoch */
export function isoDate(value: unknown): unknown {
  if (typeof value === 'number') return format(value) ?? value;
  if (typeof value !== 'string') return value;
  // Fast path: most dates are in the target format, and a list has thousands.
  if (USUAL.test(value)) return `${value.slice(0, TO_SECONDS)}Z`;
  const found = FORM.exec(value.trim());
  if (found === null) return value;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0));
  const offset = zone(found[7] ?? 'Z');
  const date = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!real || offset === undefined) return value;
  return format(date.setUTCHours(hour, minute, second) - offset) ?? value;
}

/** Converts a date text to milliseconds since the epoch; returns other values unchanged. */
export function milliseconds(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const time = FORM.test(value.trim()) ? Date.parse(String(isoDate(value))) : Number.NaN;
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? '';
  return Number.isNaN(time) ? value : time + Number(`${fraction}000`.slice(0, 3));
}

/** Parses a time zone to milliseconds east of UTC; undefined if invalid. */
function zone(text: string): number | undefined {
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(text);
  if (found === null) return 0;
  const [hours, minutes] = [Number(found[2]), Number(found[3])];
  const offset = (hours * 60 + minutes) * 60_000;
  if (hours > 14 || minutes > 59) return undefined;
  return found[1] === '-' ? -offset : offset;
}

function format(time: number): string | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
