/** Describes runs and their results for HTTP clients: with URLs, and with errors as problem documents. */
import type { ErrorObject } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { ShelvedFile } from '../../../node/files/file-shelf.ts';
import { type FileRecord, fileRecord } from '../../../runs/perform.ts';
import type { Run } from '../../../runs/port.ts';
import { errorDocument } from '../problems.ts';

/** Returns the URL of a run. */
export function urlOf(id: string): string {
  return `/v1/runs/${id}`;
}

/** Describes a run. */
export function runDocument({ owner: _owner, uses: _uses, result, error, ...run }: Run) {
  const url = urlOf(run.id);
  return {
    ...run,
    ...(result === undefined ? {} : { result: resultDocument(result) }),
    ...(error === undefined ? {} : { problem: errorDocument(error) }),
    url,
    eventsUrl: `${url}/events`,
  };
}

/** Describes a file. */
export function fileDocument(file: ShelvedFile) {
  return withUrl(fileRecord(file));
}

/** Describes the result of a command or of a rehearsal; returns any other value, such as a session entry, unchanged. */
export function resultDocument(result: unknown): unknown {
  if (!isObject(result)) return result;
  const { files, truncated, failure } = result;
  return {
    ...result,
    ...(Array.isArray(files) ? { files: (files as readonly FileRecord[]).map(withUrl) } : {}),
    ...(isObject(truncated) ? { truncated: withFileUrl(truncated) } : {}),
    ...(isObject(failure) ? { failure: errorDocument(failure as unknown as ErrorObject) } : {}),
  };
}

function withUrl(file: FileRecord) {
  return { ...file, url: `/v1/files/${file.id}` };
}

function withFileUrl({ file, ...rest }: Readonly<Record<string, unknown>>) {
  return { ...rest, ...(isObject(file) ? { file: withUrl(file as unknown as FileRecord) } : {}) };
}
