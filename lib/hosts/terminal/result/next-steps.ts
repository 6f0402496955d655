/** Adds the command that a reader may want next to the notes of a result. */

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
 * Puts the command that shows the next page into the note about it.
 * @param typed without what the options added: where the service sorts, the order here may be another
 */
export function withNextPage(result: Result, typed: Invocation, { filter, sort, fields }: Choices): Result {
  const { name, pairs } = typed;
  const { note, next, kept, total } = result.truncated ?? {};
  const chosen = Object.entries({ filter, sort: sort ?? [], fields: fields ?? [] }).flatMap(([option, texts]) =>
    [texts].flat().map((value) => ({ name: `--${option}`, value })),
  );
  // A value with a reference or a line end is not the same in another line.
  const isPlain = [...pairs, ...chosen].every(({ value }) => !/\$\{|[\r\n]/.test(String(value)));
  if (note === undefined || next === undefined || !isPlain) return result;
  const isTyped = pairs.some((pair) => pair.name === next.name);
  // A person learns one word for every list.
  const position = next.name === 'skip' && !isTyped ? 'offset' : next.name;
  const values = [...pairs.filter((pair) => pair.name !== position), { name: position, value: String(next.value) }];
  const words = [...values, ...chosen].map((pair) => `${pair.name}=${quoted(String(pair.value), 'room')}`);
  const command = [`!${name}`, ...words].join(' ');
  const page = next.name === 'page' ? note : `${grouped(kept ?? 0)} shown, there are ${total ?? 'more'}.`;
  const { readable } = result;
  const notes = readable.notes.map((each) => (each === note ? `${page} Next: ${command}` : each));
  return { ...result, readable: { ...readable, notes } };
}

/** Says how to see why a scan was blocked: by its id, where a later command can read it, otherwise by another scan. */
export async function withAdvice(result: Result, shell: Shell, views: ResultViews): Promise<Result> {
  if (result.verdict !== 'block') return result;
  const { EXPLAINED } = await views.explain();
  if (!EXPLAINED.includes(result.command)) return result;
  const id = scanIdOf(result);
  // Outside the war room, the simulated service forgets its scans with the process.
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

/** Returns the id of the only scan of a result. */
function scanIdOf({ writes }: Result): string | undefined {
  const ids = writes.flatMap(({ value }) =>
    isObject(value) && typeof value['scan_id'] === 'string' ? value['scan_id'] : [],
  );
  return ids.length === 1 ? ids[0] : undefined;
}
