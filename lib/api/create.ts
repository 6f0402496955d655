/** Joins planes, credentials, repeats, paging and errors into the API that handlers use. */
import type { Effect } from '../command.ts';
import { ResponseError } from '../errors.ts';
import { isObject, receivedJson } from '../json.ts';
import type { HttpRequest, HttpResponse, SavedFile } from '../ports.ts';
import { type Redact, redacting } from '../redaction/responses.ts';
import type { Runtime } from '../runtime.ts';
import type { SettingName } from '../settings/parameters.ts';
import { needSettings } from '../settings/required.ts';
import { createTokenSource, TOKEN_SETTINGS, type Token } from './auth.ts';
import type { Call, Query } from './call.ts';
import type { Api } from './client.ts';
import { createExchange, unknownAfter } from './exchange.ts';
import { failure, requestIdOf } from './failures.ts';
import { fetchPages } from './pagination.ts';
import { encoded, pathText } from './path.ts';
import { Planned } from './planned.ts';
import { KEY_HEADER, PLANES, SIMULATED_HEADER } from './wire.ts';

/** What the API has to know of the command it works for. */
export interface Caller {
  readonly effect: Effect;
  readonly repeatable?: boolean | undefined;
  /** Values of secret arguments, which no error may repeat. */
  readonly secrets?: readonly string[] | undefined;
  /** What to do next after a status, where the command knows better than the table. */
  readonly hints?: Readonly<Partial<Record<number, string>>> | undefined;
}

const CREDENTIALS: Readonly<Record<'token' | 'key', readonly SettingName[]>> = {
  token: TOKEN_SETTINGS,
  key: ['runtime_api_key'],
};

type Answer = Readonly<Record<string, unknown>>;

/** The API for one command. */
export function createApi(runtime: Runtime, caller: Caller): Api {
  const redact = redacting(runtime, caller.secrets ?? []);
  const exchange = createExchange(runtime, redact);
  const tokens = createTokenSource(runtime, exchange);
  const seen = { simulated: false, status: 0, changed: false };
  const saved: SavedFile[] = [];

  const reads = (call: Call) => call.method === 'GET' || call.reads === true || caller.effect === 'read';
  const mayRepeat = (call: Call) => reads(call) || (call.repeatable ?? caller.repeatable === true);

  const send = async (call: Call): Promise<HttpResponse> => {
    const request = requestOf(runtime, call);
    const credential = await credentialFor(runtime, call, () => tokens.get());
    const first = await exchange(withHeaders(request, call, credential.header), mayRepeat(call), call);
    const { token } = credential;
    // A permission that is missing answers 403 as well, so one new token is tried, once.
    if (token === undefined || token.fresh || (first.status !== 401 && first.status !== 403)) return first;
    tokens.drop(token.value);
    const renewed = await credentialFor(runtime, call, () => tokens.get());
    return exchange(withHeaders(request, call, renewed.header), mayRepeat(call), call);
  };

  const fetch = async (call: Call): Promise<Answer> => {
    const { base, auth } = PLANES[call.plane];
    // All of them at once: whoever has set nothing is not told so four times.
    needSettings(runtime, [base, ...CREDENTIALS[auth]]);
    // A download changes nothing there, but it leaves a file here.
    if (runtime.dryRun && (!reads(call) || call.download !== undefined)) {
      throw new Planned({ method: call.method, url: addressOf(runtime, call), body: call.body ?? uploadOf(call) });
    }
    // Before the token is fetched: a download that cannot be kept asks for nothing.
    if (call.download !== undefined) await runtime.files.checkWritable?.();
    const response = await send(call);
    if (response.headers[SIMULATED_HEADER] !== undefined) seen.simulated = true;
    // What nobody comes for, or what is asked for again, decides nothing.
    if (call.ahead !== true) seen.status = response.status;
    if (response.file !== undefined) saved.push(response.file);
    // What is answered with a 4xx was turned away.
    if (!mayRepeat(call) && (response.status < 400 || response.status >= 500)) seen.changed = true;
    if (response.status >= 200 && response.status < 300) return answerOf(call, response, mayRepeat(call), redact);
    throw failure({
      method: call.method,
      response: redact.response(response),
      plane: PLANES[call.plane],
      now: runtime.clock.now(),
      changes: !mayRepeat(call),
      hints: caller.hints ?? {},
    });
  };

  return {
    fetch,
    list: (call, take) => fetchPages(call, fetch, { take, atOnce: runtime.pagesAtOnce ?? 1 }),
    simulated: () => seen.simulated,
    changed: () => seen.changed,
    status: () => seen.status,
    saved: () => saved,
  };
}

const MANAGEMENT_PREFIX = new RegExp(`${PLANES.management.prefix}$`);

function addressOf(runtime: Runtime, call: Call): string {
  const { base, prefix } = PLANES[call.plane];
  const [address = ''] = needSettings(runtime, [base]);
  // Half of the world's examples write the address with the management plane's prefix.
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

type Unsigned = Omit<HttpRequest, 'timeoutMs' | 'headers'>;

function requestOf(runtime: Runtime, call: Call): Unsigned {
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
  request: Unsigned,
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

/** The service answers with objects, with plain text after a delete, with arrays, or with nothing at all. */
function answerOf(call: Call, response: HttpResponse, repeatable: boolean, redact: Redact): Answer {
  if (response.file !== undefined) return { ...response.file };
  const text = response.body.trim();
  if (text === '') return {};
  const value = receivedJson(text);
  // A sentence; not a page, and no JSON that broke off.
  if (value === undefined && call.method === 'DELETE' && !/^[<{[]/.test(text)) return { message: text };
  if (typeof value === 'string' && call.method === 'DELETE') return { message: value };
  if (Array.isArray(value) && call.array === true) return { items: value };
  if (isObject(value)) return value;
  const hint = `Check ${PLANES[call.plane].base}: a sign-in page or a proxy may have answered in place of the service.`;
  throw new ResponseError(`The ${PLANES[call.plane].title} answered with something that is no result.`, {
    hint: repeatable ? hint : unknownAfter(hint),
    status: response.status,
    requestId: requestIdOf(redact.response(response)),
  });
}

/** What a dry run tells of a file that would be sent. */
function uploadOf({ upload }: Call): unknown {
  if (upload === undefined) return undefined;
  const parts = upload.parts.map(({ name, text }) => ({ part: name, text }));
  return [...parts, { part: upload.field, file: upload.file.name, bytes: upload.file.size ?? null }];
}
