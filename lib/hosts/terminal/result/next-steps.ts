/** Adds to the notes of a result the command that the reader may want next. */

import { isObject } from '../../../core/json.ts';
import { grouped } from '../../../core/text/numbers.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import type { Result } from '../../../runtime/output/result.ts';
import type { Options } from '../line/cli-options.ts';
import type { ResultViews } from '../line/subcommand.ts';
import { quoted, type Shell, subcommandLine } from '../ui/shell.ts';
import { UNBROKEN } from '../ui/wrap.ts';

type Choices = Pick<Options, 'filter' | 'sort' | 'fields'>;

/**
 * Puts the command that shows the next page into the note about it. @param typed the line without arguments that
 * options added: if the service sorts, its order may differ from the order here
 */
export function withNextPage(result: Result, typed: Invocation, { filter, sort, fields }: Choices): Result {
  const { name, pairs } = typed;
  const { note, next, kept, total } = result.truncated ?? {};
  const chosen = Object.entries({ filter, sort: sort ?? [], fields: fields ?? [] }).flatMap(([option, texts]) =>
    [texts].flat().map((value) => ({ name: `--${option}`, value })),
  );
  // A value with a reference or a line break may change when it is typed again.
  const isPlain = [...pairs, ...chosen].every(({ value }) => !/\$\{|[\r\n]/.test(String(value)));
  if (note === undefined || next === undefined || !isPlain) return result;
  const isTyped = pairs.some((pair) => pair.name === next.name);
  // Every list uses the same word, so users learn only one.
  const position = next.name === 'skip' && !isTyped ? 'offset' : next.name;
  const values = [...pairs.filter((pair) => pair.name !== position), { name: position, value: String(next.value) }];
  const words = [...values, ...chosen].map((pair) => `${pair.name}=${quoted(String(pair.value), 'room')}`);
  const command = [`!${name}`, ...words].join(' ');
  const page = next.name === 'page' ? note : `${grouped(kept ?? 0)} shown, there are ${total ?? 'more'}.`;
  const { readable } = result;
  const notes = readable.notes.map((each) => (each === note ? `${page} Next: ${command}` : each));
  return { ...result, readable: { ...readable, notes } };
}

/**
 * Says how to see why a scan was blocked: by its id if a later command can read the scan, otherwise by scanning again.
 */
export async function withAdvice(result: Result, shell: Shell, views: ResultViews): Promise<Result> {
  if (result.verdict !== 'block') return result;
  const { EXPLAINED } = await views.explain();
  if (!EXPLAINED.includes(result.command)) return result;
  const id = scanIdOf(result);
  // Outside the war room, the simulated service forgets its scans when the process ends.
  const isKept = shell.dialect === 'room' || !result.simulated;
  const advice =
    id !== undefined && isKept
      ? explainLine(id, shell)
      : 'For the topics and patterns that matched, scan with --explain.';
  const { readable } = result;
  return { ...result, readable: { ...readable, notes: [...readable.notes, advice] } };
}

function explainLine(id: string, shell: Shell): string {
  return `See what matched with: ${subcommandLine(['explain', id], shell).replaceAll(' ', UNBROKEN)}`;
}

/** Returns the id of a result's only scan. */
function scanIdOf({ writes }: Result): string | undefined {
  const ids = writes.flatMap(({ value }) =>
    isObject(value) && typeof value['scan_id'] === 'string' ? value['scan_id'] : [],
  );
  return ids.length === 1 ? ids[0] : undefined;
}
