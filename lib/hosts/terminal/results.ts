/** A result as the chosen format writes it. */
import { entryOf } from '../../output/entry.ts';
import { truncatedValue } from '../../output/limit.ts';
import { markdown } from '../../output/markdown.ts';
import type { Result } from '../../result.ts';
import { clean } from './clean.ts';
import { jsonText } from './json.ts';
import type { Format } from './options.ts';
import { renderReadable } from './table.ts';
import type { Page } from './wrap.ts';

/** A page, and whether a person looks at it. */
export type Place = Page & { readonly terminal: boolean };

const RENDERERS: Readonly<Record<Format, (result: Result, place: Place) => string | Promise<string>>> = {
  table: (result, place) => (result.showRaw ? jsonText(result.raw, true) : renderReadable(result.readable, place)),
  json: (result, { terminal }) => jsonText(asJson(result), terminal),
  jsonl: (result) => recordLines(result).join('\n'),
  context: (result, { terminal }) => jsonText(contextValue(result), terminal),
  entry: (result, { terminal }) => jsonText(entryOf(result), terminal),
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
function recordLines({ writes, whole }: Result): string[] {
  return (whole ?? writes).flatMap(({ value }) =>
    (Array.isArray(value) ? value : [value]).map((record) => jsonText(record)),
  );
}
