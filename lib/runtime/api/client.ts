/** Joins planes, credentials, retries, paging and errors into the API that handlers use. */

import { ResponseError } from '../../core/errors.ts';
import { isObject, type JsonObject, receivedJson } from '../../core/json.ts';
import type { HttpRequest, HttpResponse, SavedFile } from '../../core/ports.ts';
import { type Redact, responseRedaction } from '../../core/redaction/responses.ts';
import type { Effect, Runtime } from '../../core/runtime.ts';
import { KEY_HEADER, PLANES, SIMULATED_HEADER } from '../../core/wire.ts';
import { needSetting } from '../settings/required.ts';
import { rootOf, TokenSource } from './auth.ts';
import { type Call, type ListCall, Planned, type Query } from './call.ts';
import { Exchange, withUnknownOutcome } from './exchange.ts';
import { failure, requestIdOf } from './failures.ts';
import { fetchPages, type Page, type Records } from './pagination.ts';
import { encoded, pathText } from './path.ts';

/** Properties of the command that uses the API. */
export interface Caller {
  readonly effect: Effect;
  readonly repeatable?: boolean | undefined;
  /** Removes secrets from errors and logs. Default: the secrets of the settings. */
  readonly redact?: Redact | undefined;
  /** Hints for error statuses; they replace the hints of the general table. */
  readonly hints?: Readonly<Partial<Record<number, string>>> | undefined;
}

/** Sends the requests of one command. */
export class Api {
  private readonly runtime: Runtime;
  private readonly caller: Caller;
  private readonly redact: Redact;
  private readonly exchange: Exchange;
  private readonly tokens: TokenSource;
  private readonly state = { simulated: false, status: 0, changed: false };
  private readonly files: SavedFile[] = [];

  constructor(runtime: Runtime, caller: Caller = { effect: 'read' }) {
    this.runtime = runtime;
    this.caller = caller;
    this.redact = caller.redact ?? responseRedaction(runtime, []);
    this.exchange = new Exchange(runtime, this.redact);
    this.tokens = new TokenSource(runtime, this.exchange);
  }

  /**
   * Sends one request.
   * @returns the JSON value; an empty body is `{}`, the plain text of a delete `{message}`, a bare array `{items}`
   */
  async fetch(call: Call): Promise<JsonObject> {
    const { runtime, caller, redact } = this;
    // Resolve the settings first, so that one error names all that are missing.
    const root = rootOf(runtime, call.plane);
    const isReadOnly = call.method === 'GET' || call.readOnly === true || caller.effect === 'read';
    const isRepeatable = isReadOnly || (call.repeatable ?? caller.repeatable === true);
    // A download changes nothing in the service, but it writes a file.
    if (runtime.dryRun && (!isReadOnly || call.download !== undefined)) {
      throw new Planned({ method: call.method, url: this.urlOf(root, call), body: call.body ?? uploadOf(call) });
    }
    // Check before fetching the token, so that a download that cannot be stored sends no request.
    if (call.download !== undefined) await runtime.files.checkWritable?.();
    const response = await this.send(call, this.urlOf(root, call), isRepeatable);
    this.record(call, response, isRepeatable);
    if (response.status >= 200 && response.status < 300) return responseValue(call, response, isRepeatable, redact);
    throw failure({
      method: call.method,
      response: redact.response(response),
      plane: PLANES[call.plane],
      now: runtime.clock.now(),
      changes: !isRepeatable,
      hints: caller.hints ?? {},
    });
  }

  /** Fetches pages up to the limit; with `onRecords`, passes the records on instead of keeping them. */
  list(call: ListCall, onRecords?: (records: Records) => void): Promise<Page> {
    const concurrency = this.runtime.pageConcurrency ?? 1;
    return fetchPages(call, (page) => this.fetch(page), { onRecords, concurrency });
  }

  /** Returns true after a response of the simulated service. */
  simulated(): boolean {
    return this.state.simulated;
  }

  /** Returns true after a change that must not be repeated. */
  changed(): boolean {
    return this.state.changed;
  }

  /** Returns the HTTP status of the last response; 0 before the first. */
  status(): number {
    return this.state.status;
  }

  /** Returns the files that were downloaded. */
  saved(): readonly SavedFile[] {
    return this.files;
  }

  private urlOf(root: string, { path, query }: Call): string {
    return root + pathText(path, () => needSetting(this.runtime, 'tsg_id')) + queryText(query);
  }

  private async send(call: Call, url: string, isRepeatable: boolean): Promise<HttpResponse> {
    const attempt = (credential: Readonly<Record<string, string>>) =>
      this.exchange.send(requestOf(call, url, credential), isRepeatable, call);
    if (PLANES[call.plane].auth === 'key')
      return attempt({ [KEY_HEADER]: needSetting(this.runtime, 'runtime_api_key') });
    const token = await this.tokens.get();
    const first = await attempt({ authorization: `Bearer ${token.value}` });
    // A stale token and a missing permission both give 403, so try a new token once.
    if (token.fresh || (first.status !== 401 && first.status !== 403)) return first;
    await this.tokens.drop(token.value);
    return attempt({ authorization: `Bearer ${(await this.tokens.get()).value}` });
  }

  private record(call: Call, response: HttpResponse, isRepeatable: boolean): void {
    const { state } = this;
    if (response.headers[SIMULATED_HEADER] !== undefined) state.simulated = true;
    // A prefetched page may be dropped or requested again, so its status does not count.
    if (call.prefetch !== true) state.status = response.status;
    if (response.file !== undefined) this.files.push(response.file);
    // A 4xx means that nothing was changed.
    if (!isRepeatable && (response.status < 400 || response.status >= 500)) state.changed = true;
  }
}

function queryText(query: Query): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) parts.push(`${encoded(name)}=${encoded(String(item))}`);
    }
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function requestOf(
  { plane, method, body, contentType = 'application/json', upload, download }: Call,
  url: string,
  credential: Readonly<Record<string, string>>,
): Omit<HttpRequest, 'timeoutMs'> {
  const content = body === undefined ? {} : { 'content-type': contentType };
  const accept = download === undefined ? 'application/json' : '*/*';
  return {
    method,
    url,
    headers: { accept, ...PLANES[plane].headers, ...content, ...credential },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(upload === undefined ? {} : { upload }),
    ...(download === undefined ? {} : { download }),
  };
}

/** Reads the value of a response: an object, an array, nothing, or plain text after a delete. */
function responseValue(call: Call, response: HttpResponse, repeatable: boolean, redact: Redact): JsonObject {
  if (response.file !== undefined) return { ...response.file };
  const text = response.body.trim();
  if (text === '') return {};
  const value = receivedJson(text);
  // Accept a sentence, but not an HTML page or incomplete JSON.
  if (value === undefined && call.method === 'DELETE' && !/^[<{[]/.test(text)) return { message: text };
  if (typeof value === 'string' && call.method === 'DELETE') return { message: value };
  if (Array.isArray(value) && call.array === true) return { items: value };
  if (isObject(value)) return value;
  const hint = `Check ${PLANES[call.plane].base}: a sign-in page or a proxy may have answered instead of the service.`;
  throw new ResponseError(`The ${PLANES[call.plane].title} returned an invalid response.`, {
    hint: repeatable ? hint : withUnknownOutcome(hint),
    outcomeUnknown: !repeatable,
    status: response.status,
    requestId: requestIdOf(redact.response(response)),
  });
}

/** Describes an upload for a dry run. */
function uploadOf({ upload }: Call): unknown {
  if (upload === undefined) return undefined;
  const parts = upload.parts.map(({ name, text }) => ({ part: name, text }));
  return [...parts, { part: upload.field, file: upload.file.name, bytes: upload.file.size ?? null }];
}
