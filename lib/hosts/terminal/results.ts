/** A result as the chosen format writes it. */
import { entryOf } from '../../output/entry.ts';
import { truncatedValue } from '../../output/limit.ts';
import { markdown } from '../../output/markdown.ts';
import type { Result } from '../../result.ts';
import { clean } from './clean.ts';
import { longJsonText } from './json.ts';
import type { Format } from './options.ts';
import { slicesUntil } from './slices.ts';
import { renderReadable } from './table.ts';
import type { Page } from './wrap.ts';

/** A page, and whether a person looks at it. */
export type Place = Page & { readonly terminal: boolean };

const RENDERERS: Readonly<Record<Format, (result: Result, place: Place) => string | Promise<string>>> = {
  table: (result, place) =>
    result.showRaw ? jsonOf(result.raw, { ...place, terminal: true }) : renderReadable(result.readable, place),
  json: (result, place) => jsonOf(asJson(result), place),
  jsonl: (result, place) => recordLines(result, place),
  context: (result, place) => jsonOf(contextValue(result), place),
  entry: (result, place) => jsonOf(entryOf(result), place),
  markdown: (result, { terminal }) => {
    const text = markdown(result.readable).trimEnd();
    return terminal ? clean(text) : text;
  },
};

/**
 * @returns the text, without a line end; empty when the format has nothing to say
 * @throws CancelledError after a stop
 */
export async function renderResult(result: Result, format: Format, place: Place): Promise<string> {
  return RENDERERS[format](result, place);
}

/** Formats of values alone: they have no room for what there is to say of the result as a whole. */
export function isBare(format: Format): boolean {
  return format === 'context' || format === 'jsonl';
}

function jsonOf(value: unknown, { terminal, signal }: Place): Promise<string> {
  return longJsonText(value, terminal, slicesUntil(signal));
}

function asJson(result: Result) {
  const { truncated } = result;
  return {
    command: result.command,
    outputs: outputsOf(result),
    readable: markdown(result.readable),
    raw: result.raw,
    ...(truncated === undefined ? {} : { truncated: truncatedValue(truncated, truncated.file?.entry) }),
    ...(result.simulated ? { simulated: true } : {}),
  };
}

function outputsOf({ writes }: Result): Record<string, unknown> {
  return Object.fromEntries(writes.map(({ path, value }) => [path, value]));
}

function contextValue(result: Result): unknown {
  const own = result.writes.filter(({ key }) => key !== undefined);
  const values = own.length > 0 ? own : result.writes;
  return values.length > 1 ? outputsOf(result) : (values[0]?.value ?? null);
}

/** Each record on a line of its own; of what is cut for the context, all of them. */
async function recordLines({ writes, whole }: Result, { signal }: Place): Promise<string> {
  const slices = slicesUntil(signal);
  const lines: string[] = [];
  for (const { value } of whole ?? writes) {
    const records: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const record of records) lines.push(await longJsonText(record, false, slices));
  }
  return lines.join('\n');
}
