/** Renders a result in the chosen format, as a whole or as its records arrive. */
import { entryOf } from '../../../runtime/output/entry.ts';
import { markdown } from '../../../runtime/output/markdown.ts';
import { type ContextWrite, type Result, truncatedValue } from '../../../runtime/output/result.ts';
import { csvHeader, csvRow } from '../../../runtime/select/csv.ts';
import { projector } from '../../../runtime/select/fields.ts';
import type { Format } from '../line/options.ts';
import type { Choice } from '../line/output-options.ts';
import { mapInTurns } from '../ui/in-turns.ts';
import { jsonText, longJsonText } from '../ui/json.ts';
import { sanitize } from '../ui/sanitize.ts';
import type { Screen } from '../ui/screen.ts';
import type { Dialect } from '../ui/shell.ts';
import type { Page } from '../ui/wrap.ts';
import { renderReadable, type TableOptions } from './table.ts';

/** Layout, and whether stdout is a terminal. */
export type RenderOptions = Page &
  TableOptions & {
    readonly terminal: boolean;
    /** Columns of CSV. */
    readonly columns?: readonly string[];
    /** The shell into which commands are pasted. */
    readonly dialect?: Dialect;
  };

const RENDERERS: Readonly<Record<Format, (result: Result, options: RenderOptions) => string | Promise<string>>> = {
  table: (result, options) =>
    result.showRaw ? jsonOf(result.raw, { ...options, terminal: true }) : withTally(result, options),
  json: (result, options) => jsonOf(asJson(result), options),
  jsonl: (result, options) => recordLines(result, options),
  context: (result, options) => jsonOf(contextValue(result), options),
  entry: (result, options) => jsonOf(entryOf(result), options),
  markdown: (result, { terminal }) => {
    const text = markdown(result.readable).trimEnd();
    return terminal ? sanitize(text) : text;
  },
  csv: (result, options) => csvOf(result, options),
  yaml: async (result, { terminal }) => {
    const { yamlText } = await import('../ui/yaml.ts');
    const text = yamlText(contextValue(result));
    return terminal ? sanitize(text) : text;
  },
};

/** A summary replaces the table of counts, and comes last. */
async function withTally({ readable, tally }: Result, options: RenderOptions): Promise<string> {
  if (tally === undefined) return renderReadable(readable, options, options);
  const { tables, title } = readable;
  const shown = { ...readable, title: `${title}: ${tally.title}`, tables: tables.slice(1) };
  const { renderTally } = await import('./tally.ts');
  const counted = { ...options, isCounted: true };
  return `${await renderReadable(shown, options, counted)}\n\n${renderTally(tally, options, options.dialect ?? 'posix').join('\n')}`;
}

/**
 * Renders a result.
 * @returns the text without a final line break; empty if there is nothing to print
 * @throws CancelledError after a stop
 */
export async function renderResult(result: Result, format: Format, options: RenderOptions): Promise<string> {
  return RENDERERS[format](result, options);
}

/** Reports whether a format contains only values, so that notes about the result go to stderr. */
export function isBare(format: Format): boolean {
  return ['context', 'jsonl', 'csv', 'yaml'].includes(format);
}

function jsonOf(value: unknown, { terminal, signal }: RenderOptions): Promise<string> {
  return longJsonText(value, terminal, signal);
}

/** Returns the object that the json form prints. */
export function asJson(result: Result) {
  const { truncated } = result;
  return {
    command: result.command,
    outputs: outputsOf(result),
    readable: markdown(result.readable),
    ...(result.raw === undefined ? {} : { raw: result.raw }),
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

/**
 * Writes the header and a row for each record of the last output, which is the final state of a job; nothing without
 * outputs.
 */
async function csvOf(result: Result, { columns = [], terminal, signal }: RenderOptions): Promise<string> {
  const write = csvWrites(result).at(-1);
  // An empty list writes no row, but still has a header.
  if (write === undefined) return result.planned || columns.length === 0 ? '' : csvHeader(columns);
  const rows = await mapInTurns(recordsIn(write.value), signal, (record) => {
    const row = csvRow(record, columns);
    return terminal ? sanitize(row) : row;
  });
  return [csvHeader(columns), ...rows].join('\n');
}

/** Lists the outputs of a command; CSV can hold only the last output. */
export function csvWrites({ writes, uncut }: Result): readonly ContextWrite[] {
  return (uncut ?? writes).filter(({ key }) => key !== undefined);
}

/** Lists the records of a context value. */
export function recordsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Writes each record on its own line, including records that the context limit dropped. */
async function recordLines({ writes, uncut }: Result, { signal }: RenderOptions): Promise<string> {
  const records = (uncut ?? writes).flatMap(({ value }) => recordsIn(value));
  return (await mapInTurns(records, signal, (record) => jsonText(record))).join('\n');
}

export interface RecordStream {
  push(record: unknown): void;
  /** Resolves when all records are printed. @throws UsageError if jq failed on a record */
  end(): Promise<void>;
}

/** Creates the stream for a format: JSON lines, results of jq for each record, or rows of CSV. */
export function recordStream(format: Format, { selection, jq, columns }: Choice, screen: Screen): RecordStream {
  const project = selection === undefined ? (record: unknown) => record : projector(selection);
  if (jq !== undefined) return jqStream((records) => jq.evaluate(records.map(project), (text) => screen.result(text)));
  if (format !== 'csv') {
    return { push: (record) => screen.result(jsonText(project(record))), end: () => Promise.resolve() };
  }
  let rows = 0;
  const push = (record: unknown) => {
    if (rows === 0) screen.result(csvHeader(columns));
    rows += 1;
    const row = csvRow(record, columns);
    screen.result(screen.terminal ? sanitize(row) : row);
  };
  return { push, end: () => Promise.resolve() };
}

/** Collects records that arrive together, because jq takes about as long for many records as for a few. */
function jqStream(evaluate: (records: readonly unknown[]) => Promise<void>): RecordStream {
  let waiting: unknown[] = [];
  let work: Promise<void> | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  const drain = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0 && failure === undefined) {
      const records = waiting;
      waiting = [];
      await evaluate(records).catch((thrown: unknown) => {
        failure = { thrown };
      });
    }
    work = undefined;
  };
  const push = (record: unknown) => {
    if (failure !== undefined) return;
    waiting.push(record);
    work ??= drain();
  };
  return {
    push,
    end: async () => {
      await work;
      if (failure !== undefined) throw failure.thrown;
    },
  };
}
