/** Prints records when they arrive. */
import { csvHeader, csvRow } from '../../../project/csv.ts';
import { projector } from '../../../project/fields.ts';
import type { Format } from '../options/options.ts';
import type { Choice } from '../options/output-options.ts';
import { jsonText } from './json.ts';
import { sanitize } from './sanitize.ts';
import type { Screen } from './screen.ts';

export interface RecordStream {
  push(record: unknown): void;
  /** Resolves when all records are printed. @throws UsageError if jq failed on one of them */
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

/** Collects the records that arrive together: jq takes about as long for many records as for a few. */
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
