/** What people do with entries: star, copy, run again, export. */
import { problemFrom } from '../api.ts';
import { runLine } from '../line/run.ts';
import { setLine } from '../line/state.ts';
import { announce } from '../room/notices.ts';
import { room, star } from '../room/store.ts';
import { addressOf } from '../state.ts';
import type { EntryDetail, EntryHead } from '../types.ts';
import type { Written } from './exports.ts';
import { keepAsIs, places } from './state.ts';

/** Where the service has masked a secret in a line. */
const MASKED = '***';

/** Runs an action, and says why it failed. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    announce(problemFrom(thrown).detail);
  }
}

export function toggleStar({ number, starred }: EntryHead): Promise<void> {
  keepAsIs(number);
  return attempt(() => star(number, !starred));
}

/** Copies a text. @param what it is, for the message */
export function copyText(text: string, what: string): Promise<void> {
  return attempt(async () => {
    await navigator.clipboard.writeText(text);
    announce(`Copied ${what}.`);
  });
}

/** Runs the line of an entry again. @param isInPlace the new result replaces the entry in view */
export async function runAgain({ number, line }: EntryHead, isInPlace: boolean): Promise<void> {
  if (line.includes(MASKED)) {
    setLine(line);
    announce('A secret of the line is masked: type it, and run the line.');
    return;
  }
  const run = await runLine(line);
  if (isInPlace && run !== undefined) {
    keepAsIs(number);
    places.value = new Map(places.peek()).set(run.id, number);
  }
}

/** The copies that an entry offers. */
export function copiesOf(detail: EntryDetail): readonly (readonly [what: string, text: () => string])[] {
  const { line, number, problem, result, wrote } = detail;
  return [
    ['line', () => line],
    ['JSON', () => JSON.stringify(result?.outputs ?? problem, null, 2)],
    ...(result === undefined ? [] : [['markdown', () => result.readable] as const]),
    ...wrote.slice(0, 1).map((path) => ['path', () => `\${${path}}`] as const),
    ['address', () => `${location.origin}${location.pathname}${addressOf('room', room.peek() ?? '', number)}`],
  ];
}

/** Saves a text as a file. */
export function save({ text, type, ending }: Written, title: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const name = `${title}.${ending}`;
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  announce(`Saved ${name}.`);
}
