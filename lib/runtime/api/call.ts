/**
 * Builders for requests. A `Call` is data: plane, method, path, query and body. `client.ts` sends it.
 */
import type { Method, Upload } from '../../core/ports.ts';
import type { Plane } from '../../core/wire.ts';
import type { Path } from './path.ts';

/** A list is sent as a repeated parameter. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

export interface Call {
  readonly plane: Plane;
  readonly method: Method;
  readonly path: Path;
  /** Undefined members are left out. */
  readonly query: Query;
  /** An object is sent as JSON, without its undefined members. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** A POST that changes nothing: it may be retried, and a dry run sends it. */
  readonly readOnly?: boolean;
  /** May be sent again if its outcome is unknown. Default: the command's declaration. */
  readonly repeatable?: boolean;
  /**
   * Time limit of a single attempt, not counted in the command's time: for long work that retries by itself, because all
   * of its requests must wait together.
   */
  readonly attemptMs?: number;
  /** A prefetched page gets one attempt, because a failed page is requested again when its turn comes. */
  readonly prefetch?: boolean;
  /** The response is a bare array; it becomes `{items}`. */
  readonly array?: boolean;
  /** A file to send as multipart instead of a body. */
  readonly upload?: Upload;
  /** The response is a file: it is stored undecoded, under this name unless the service names it. */
  readonly download?: string;
}

/** A list that is fetched page by page. */
export interface ListCall extends Call {
  /** The member of the response that holds the records. */
  readonly items: string;
  /** Maximum number of records; all of them if undefined. */
  readonly limit: number | undefined;
  /** Number of records to skip. */
  readonly offset: number;
  /** The items are strings; each becomes the record `{value}`. */
  readonly texts: boolean;
  /** A filter that the service does not offer: this program reads every record, and limit and offset count the matches. */
  readonly filter?: ((record: Readonly<Record<string, unknown>>) => boolean) | undefined;
  /** The paging scheme of the plane. */
  readonly paging: Paging;
  /** On a plane that counts pages: the records to fetch, across all pages that hold them; replaces limit and offset. */
  readonly records?: { readonly limit: number; readonly offset: number };
}

/**
 * `offset`: `offset` and `limit`, with `next_offset` in the response. `skip`: `skip` and `limit`, with
 * `pagination.total_items`. `page`: one page, by `page` and `size`. `whole`: the complete list in one response.
 */
export type Paging = 'offset' | 'skip' | 'page' | 'whole';

/** The part of a list to fetch; the whole list by default. */
export interface Window {
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface ListOptions extends Window {
  items: string;
  query?: Query;
  /** The items are strings. */
  texts?: boolean;
  /** Selects records if the service has no filter for them. */
  filter?: ListCall['filter'];
  /** Default: the scheme of the plane. */
  paging?: Paging;
}

/** Creates the request builders of one plane. */
export function plane(name: Plane, defaultPaging: Paging = 'skip') {
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
      { items, limit, offset = 0, query = {}, paging = defaultPaging, texts = false, filter }: ListOptions,
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
      ...(filter === undefined ? {} : { filter }),
      array: items === 'items',
    }),
  };
}

/** A merge patch (RFC 7396): members replace the resource's members, null clears them, missing members stay. */
export const MERGE_PATCH = { contentType: 'application/merge-patch+json' } as const;

export const management = plane('management', 'offset');
export const scanner = plane('scanner');
export const dlp = plane('dlp', 'page');
export const modelData = plane('model-data');
export const modelManagement = plane('model-management');
export const redTeamData = plane('red-team-data');
export const redTeamManagement = plane('red-team-management');
export const networkBroker = plane('network-broker');

/** Returns true for a list call. */
export function isList(call: Call | ListCall): call is ListCall {
  return 'items' in call;
}

/** The request that a dry run does not send. */
export interface Plan {
  readonly method: Method;
  readonly url: string;
  readonly body: unknown;
}

/** Thrown instead of the first change of a dry run. It never reaches the user. */
export class Planned extends Error {
  override readonly name = 'Planned';
  readonly plan: Plan;

  constructor(plan: Plan) {
    super('A dry run stops here.');
    this.plan = plan;
  }
}
