/**
 * The words for requests. A `Call` is data: which plane, method, path, query and body. Making it is the work of `client.ts`.
 */
import type { Method, Upload } from '../ports.ts';
import type { Path } from './path.ts';
import type { Plane } from './wire.ts';

/** A list is sent as a repeated parameter. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

export interface Call {
  readonly plane: Plane;
  readonly method: Method;
  readonly path: Path;
  /** Members that are undefined are left out. */
  readonly query: Query;
  /** An object is sent as JSON, without its undefined members. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** A POST that changes nothing: it may be repeated, and a dry run makes it. */
  readonly reads?: boolean;
  /** May it be sent again when its outcome is unknown? Default: what the command says of itself. */
  readonly repeatable?: boolean;
  /**
   * One attempt, with so many milliseconds of its own, whatever became of the command's time: for long work in many
   * requests, which looks after repeats itself because all of its requests must wait together.
   */
  readonly attemptMs?: number;
  /** Asked for before its turn: one attempt within the command's time, because it is asked for again where it fails. */
  readonly ahead?: boolean;
  /** The answer is a bare array; it becomes `{items}`. */
  readonly array?: boolean;
  /** A file to send as multipart, in place of a body. */
  readonly upload?: Upload;
  /** The answer is a file: it is kept under this name, unless the service names it, and not read. */
  readonly download?: string;
}

/** A list, fetched page by page. */
export interface ListCall extends Call {
  /** The member of the answer that holds the records. */
  readonly items: string;
  /** Records wanted; every record when absent. */
  readonly limit: number | undefined;
  /** Records to pass over first. */
  readonly offset: number;
  /** The items are plain texts; each becomes the record `{value}`. */
  readonly texts: boolean;
  /** A filter that the service does not have: every record is read, and limit and offset count what passes. */
  readonly only?: ((record: Readonly<Record<string, unknown>>) => boolean) | undefined;
  /** How this plane names position and size, and says that there is more. */
  readonly paging: Paging;
}

/**
 * `offset`: `offset` and `limit`, with `next_offset` in the answer. `skip`: `skip` and `limit`, with
 * `pagination.total_items`. `page`: one page, by `page` and `size`. `whole`: everything at once, whatever was asked.
 */
export type Paging = 'offset' | 'skip' | 'page' | 'whole';

/** Which part of a list; all of it when nothing is said. */
export interface Window {
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface ListOptions extends Window {
  items: string;
  query?: Query;
  /** The items are plain texts. */
  texts?: boolean;
  /** Which records are wanted, where the service has no filter for them. */
  only?: ListCall['only'];
  /** Default: what is usual on the plane. */
  paging?: Paging;
}

/** The request words of one plane. */
export function plane(name: Plane, usual: Paging = 'skip') {
  const make =
    (method: Method) =>
    (path: Path, body?: unknown, options: Partial<Call> = {}) =>
      ({ plane: name, method, path, query: {}, ...(body === undefined ? {} : { body }), ...options }) satisfies Call;
  return {
    get: (path: Path, query: Query = {}): Call => ({ plane: name, method: 'GET', path, query }),
    post: make('POST'),
    put: make('PUT'),
    patch: make('PATCH'),
    delete: (path: Path, query: Query = {}): Call => ({ plane: name, method: 'DELETE', path, query }),
    list: (
      path: Path,
      { items, limit, offset = 0, query = {}, paging = usual, texts = false, only }: ListOptions,
    ): ListCall => ({
      plane: name,
      method: 'GET',
      path,
      query,
      items,
      limit,
      offset,
      paging,
      texts,
      ...(only === undefined ? {} : { only }),
      array: items === 'items',
    }),
  };
}

/** Members that are sent replace those of the resource, null clears them, and what is left out stays (RFC 7396). */
export const MERGE_PATCH = { contentType: 'application/merge-patch+json' } as const;

export const management = plane('management', 'offset');
export const scanner = plane('scanner');
export const dlp = plane('dlp', 'page');
export const modelData = plane('model-data');
export const modelManagement = plane('model-management');
export const redTeamData = plane('red-team-data');
export const redTeamManagement = plane('red-team-management');
export const networkBroker = plane('network-broker');

export function isList(call: Call | ListCall): call is ListCall {
  return 'items' in call;
}
