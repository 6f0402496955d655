/**
 * What the author of a command's declaration imports: its builders, the planes it calls, and the types of its handler.
 * Everything here is loaded for any command, so that this file costs none of them anything; what only some need
 * (`arguments/rules.ts`, `arguments/time.ts`, `api/find.ts`, `api/search.ts`, `api/body.ts`) they import themselves.
 * Fields of records are declared in `context/`, from `output/record.ts`.
 */

// What it asks of the service.
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
} from './api/call.ts';
export type { Api } from './api/client.ts';
export { path, tenant } from './api/path.ts';
// What it is, what a user may type, and what it leaves behind.
export {
  email,
  file,
  flag,
  type Given,
  json,
  kept,
  limit,
  list,
  number,
  offset,
  pages,
  skip,
  text,
  time,
  uuid,
  uuids,
} from './arguments/words.ts';
export { command } from './command.ts';
// What a handler of several requests, or a job, works with.
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
} from './errors.ts';
export { type Job, type Position, type Step, waiting } from './job.ts';
export { asText, isObject, type JsonObject, objectOf, objectsOf } from './json.ts';
export { cell, heading, type Table, tableOf } from './output/readable.ts';
export { many, one, paged, silent, type Wire } from './output/record.ts';
export type { FileEntry, Files, TextReader, Upload } from './ports.ts';
export type { Tools } from './tools.ts';
