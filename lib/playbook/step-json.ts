/** Converts the tasks of a rehearsal to JSON. */
import type { Result } from '../output/result.ts';
import { NEXT } from './playbook.ts';
import type { Step } from './run.ts';
import type { Trace } from './trace.ts';

export function stepJson({ task: { id, name, ...task }, branch, results, error }: Step, trace?: Trace) {
  const outcome = error === undefined ? 'done' : branch === undefined ? 'failed' : 'handled';
  return {
    id,
    name,
    kind: task.kind,
    ...(task.kind === 'command'
      ? { command: task.command, times: results.length, records: recordCounts(results) }
      : {}),
    ...(task.kind === 'script' ? { script: task.script, notes: notesOf(results), records: recordCounts(results) } : {}),
    outcome,
    ...(branch === undefined || branch === NEXT ? {} : { branch }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(trace === undefined ? {} : { line: task.line, trace }),
  };
}

/** Collects the texts of scripts for the war room. */
export function notesOf(results: readonly Result[]): string[] {
  return results.flatMap(({ readable }) => readable.notes);
}

/** Counts the records that results wrote, by context path; a deletion writes none. */
export function recordCounts(results: readonly Result[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path, value } of results.flatMap(({ writes }) => writes)) {
    if (value === undefined) continue;
    counts[path] = (counts[path] ?? 0) + (Array.isArray(value) ? value.length : 1);
  }
  return counts;
}
