/**
 * Exports the builders, planes and handler types that declarations need. Every command loads all of them anyway;
 * modules that only some commands need (`arguments/rules.ts`, `api/find.ts`, `api/body.ts`) are imported directly.
 * Fields of records are declared in `context/`.
 */

// Tools of handlers and jobs.
export {
  type AisecError,
  ConflictError,
  NotFoundError,
  PartialError,
  PreconditionError,
  ResponseError,
  ServiceError,
  toAisecError,
  UsageError,
} from '../../core/errors.ts';
export { asText, isObject, type JsonObject, objectOf, objectsOf } from '../../core/json.ts';
export type { FileEntry, Files, TextReader, Upload } from '../../core/ports.ts';
// Requests.
export {
  type Call,
  dlp,
  MERGE_PATCH,
  management,
  modelData,
  modelManagement,
  networkBroker,
  redTeamData,
  redTeamManagement,
  scanner,
  type Window,
} from '../api/call.ts';
export type { Api } from '../api/client.ts';
export { path, tenant } from '../api/path.ts';
// The command and its arguments.
export {
  type ArgumentValues,
  email,
  file,
  flag,
  json,
  limit,
  list,
  notClearable,
  number,
  offset,
  pages,
  skip,
  text,
  time,
  uuid,
  uuids,
} from '../arguments/builders.ts';
export { cell, heading, listOf, type Table } from '../output/readable.ts';
export { many, one, paged, silent, type Wire } from '../output/record.ts';
export { command } from './command.ts';
export { type Job, type Position, type Step, type WaitArguments, waitArguments } from './job.ts';
export { window } from './paging-arguments.ts';
export type { Tools } from './tools.ts';
