/** Joins planes, credentials, retries, paging and errors into the API that handlers use. */
import type { Effect } from '../engine/command.ts';
import { ResponseError } from '../engine/errors.ts';
import { isObject, receivedJson } from '../engine/json.ts';
import type { HttpRequest, HttpResponse, SavedFile } from '../engine/ports.ts';
import type { Runtime } from '../engine/runtime.ts';
import { type Redact, responseRedaction } from '../redaction/responses.ts';
import type { SettingName } from '../settings/parameters.ts';
import { needSettings } from '../settings/required.ts';
import { createTokenSource, TOKEN_SETTINGS, type Token } from './auth.ts';
import type { Call, Query } from './call.ts';
import type { Api } from './client.ts';
import { createExchange, withUnknownOutcome } from './exchange.ts';
import { failure, requestIdOf } from './failures.ts';
import { fetchPages } from './pagination.ts';
import { encoded, pathText } from './path.ts';
import { Planned } from './planned.ts';
import { KEY_HEADER, PLANES, SIMULATED_HEADER } from './wire.ts';

/** Properties of the command that uses the API. */
export interface Caller {
  readonly effect: Effect;
  readonly repeatable?: boolean | undefined;
  /** Values of secret arguments, which no error may repeat. */
  readonly secrets?: readonly string[] | undefined;
  /** Hints for error statuses that replace those of the table. */
  readonly hints?: Readonly<Partial<Record<number, string>>> | undefined;
}

const CREDENTIALS: Readonly<Record<'token' | 'key', readonly SettingName[]>> = {
  token: TOKEN_SETTINGS,
  key: ['runtime_api_key'],
};

type ResponseObject = Readonly<Record<string, unknown>>;

/** Creates the API for one command. */
export function createApi(runtime: Runtime, caller: Caller): Api {
  const redact = responseRedaction(runtime, caller.secrets ?? []);
  const exchange = createExchange(runtime, redact);
  const tokens = createTokenSource(runtime, exchange);
  const state = { simulated: false, status: 0, changed: false };
  const saved: SavedFile[] = [];

  const isReadOnly = (call: Call) => call.method === 'GET' || call.readOnly === true || caller.effect === 'read';
  const isRepeatable = (call: Call) => isReadOnly(call) || (call.repeatable ?? caller.repeatable === true);

  const send = async (call: Call): Promise<HttpResponse> => {
    const request = requestOf(runtime, call);
    const credential = await credentialFor(runtime, call, () => tokens.get());
    const first = await exchange(withHeaders(request, call, credential.header), isRepeatable(call), call);
    const { token } = credential;
    // A stale token and a missing permission both give 403, so a new token is tried once.
    if (token === undefined || token.fresh || (first.status !== 401 && first.status !== 403)) return first;
    await tokens.drop(token.value);
    const renewed = await credentialFor(runtime, call, () => tokens.get());
    return exchange(withHeaders(request, call, renewed.header), isRepeatable(call), call);
  };

  const fetch = async (call: Call): Promise<ResponseObject> => {
    const { base, auth } = PLANES[call.plane];
    // Checked together, so that one error names all missing settings.
    needSettings(runtime, [base, ...CREDENTIALS[auth]]);
    // A download changes nothing at the service, but it writes a file.
    if (runtime.dryRun && (!isReadOnly(call) || call.download !== undefined)) {
      throw new Planned({ method: call.method, url: addressOf(runtime, call), body: call.body ?? uploadOf(call) });
    }
    // Checked before the token is fetched: a download that cannot be stored sends no request.
    if (call.download !== undefined) await runtime.files.checkWritable?.();
    const response = await send(call);
    if (response.headers[SIMULATED_HEADER] !== undefined) state.simulated = true;
    // A prefetched page may be dropped or requested again, so its status does not count.
    if (call.prefetch !== true) state.status = response.status;
    if (response.file !== undefined) saved.push(response.file);
    // A 4xx means that nothing was changed.
    if (!isRepeatable(call) && (response.status < 400 || response.status >= 500)) state.changed = true;
    if (response.status >= 200 && response.status < 300)
      return responseValue(call, response, isRepeatable(call), redact);
    throw failure({
      method: call.method,
      response: redact.response(response),
      plane: PLANES[call.plane],
      now: runtime.clock.now(),
      changes: !isRepeatable(call),
      hints: caller.hints ?? {},
    });
  };

  return {
    fetch,
    list: (call, onRecords) => fetchPages(call, fetch, { onRecords, concurrency: runtime.pageConcurrency ?? 1 }),
    simulated: () => state.simulated,
    changed: () => state.changed,
    status: () => state.status,
    saved: () => saved,
  };
}

const MANAGEMENT_PREFIX = new RegExp(`${PLANES.management.prefix}$`);

function addressOf(runtime: Runtime, call: Call): string {
  const { base, prefix } = PLANES[call.plane];
  const [address = ''] = needSettings(runtime, [base]);
  // Many examples include the prefix of the management plane in the address.
  const root = address.replace(/\/+$/, '').replace(base === 'url' ? MANAGEMENT_PREFIX : '', '') + prefix;
  return root + pathText(call.path, () => needSettings(runtime, ['tsg_id'])[0] ?? '') + queryText(call.query);
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

type Unauthenticated = Omit<HttpRequest, 'timeoutMs' | 'headers'>;

function requestOf(runtime: Runtime, call: Call): Unauthenticated {
  return {
    method: call.method,
    url: addressOf(runtime, call),
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(call.upload === undefined ? {} : { upload: call.upload }),
    ...(call.download === undefined ? {} : { download: call.download }),
  };
}

async function credentialFor(runtime: Runtime, call: Call, token: () => Promise<Token>) {
  if (PLANES[call.plane].auth === 'token') {
    const value = await token();
    return { header: { authorization: `Bearer ${value.value}` }, token: value };
  }
  const [key = ''] = needSettings(runtime, CREDENTIALS.key);
  return { header: { [KEY_HEADER]: key }, token: undefined };
}

function withHeaders(
  request: Unauthenticated,
  call: Call,
  credential: Readonly<Record<string, string>>,
): Omit<HttpRequest, 'timeoutMs'> {
  const content = call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
  const accept = call.download === undefined ? 'application/json' : '*/*';
  return {
    ...request,
    headers: { accept, ...PLANES[call.plane].headers, ...content, ...credential },
  };
}

/** Reads the value of a response: an object, an array, nothing, or plain text after a delete. */
function responseValue(call: Call, response: HttpResponse, repeatable: boolean, redact: Redact): ResponseObject {
  if (response.file !== undefined) return { ...response.file };
  const text = response.body.trim();
  if (text === '') return {};
  const value = receivedJson(text);
  // A sentence, but neither an HTML page nor incomplete JSON.
  if (value === undefined && call.method === 'DELETE' && !/^[<{[]/.test(text)) return { message: text };
  if (typeof value === 'string' && call.method === 'DELETE') return { message: value };
  if (Array.isArray(value) && call.array === true) return { items: value };
  if (isObject(value)) return value;
  const hint = `Check ${PLANES[call.plane].base}: a sign-in page or a proxy may have answered instead of the service.`;
  throw new ResponseError(`The ${PLANES[call.plane].title} answered with something that is not a result.`, {
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
