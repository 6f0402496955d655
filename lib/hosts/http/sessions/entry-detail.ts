/** A line of a session as people read it: its result as tables, secrets hidden. */
import type { ReportedLine } from '../../../client/report-pages.ts';
import { objectOf } from '../../../core/json.ts';
import {
  type DeclaredTables,
  type ResultTable,
  resultTables,
  shownOutputs,
} from '../../../runtime/select/result-tables.ts';
import type { KeptEntry } from './entry.ts';

/** Returns an entry with its tables and its requests. @param declared by its command, if it is known */
export function entryDetail({ head, entry, seen }: KeptEntry, declared: DeclaredTables | undefined) {
  const { result, ...rest } = entry;
  return {
    ...head,
    ...rest,
    ...(result === undefined ? { tables: [], result } : shownResult(objectOf(result), declared)),
    requests: seen.requests,
    requestsOmitted: seen.omitted,
  };
}

/** Returns an entry for a page to keep. */
export function reportedLine(kept: KeptEntry, declared: DeclaredTables | undefined): ReportedLine {
  const { problem, tables, result } = entryDetail(kept, declared);
  const { failure, notes = [] } = (result ?? {}) as Partial<Pick<ReportedLine, 'failure' | 'notes'>>;
  return { ...kept.head, failure: problem ?? failure, notes, tables };
}

/** Only the tables use the response, so it is not sent again. */
function shownResult({ raw, ...result }: Readonly<Record<string, unknown>>, declared: DeclaredTables | undefined) {
  const outputs = shownOutputs(objectOf(result['outputs']), declared);
  const tables: readonly ResultTable[] = resultTables({ outputs, raw, planned: result['planned'] === true }, declared);
  return { result: { ...result, outputs }, tables };
}
