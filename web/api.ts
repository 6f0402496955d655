/** Requests to the service. The cookie of the login counts only with the page's header. */
import { signal } from '@preact/signals';
import type { Problem } from './types.ts';

/** Returns a random key; `crypto.randomUUID` exists only on secure addresses. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}

/** Random id of this tab, by which it recognizes its own entries, also after a reload. */
export const TAB = tabId();

function tabId(): string {
  const id = randomKey().slice(0, 8);
  try {
    const { sessionStorage: kept } = globalThis as unknown as { readonly sessionStorage: Record<string, string> };
    kept['tab'] ??= id;
    return kept['tab'];
  } catch {
    return id;
  }
}

/** `unknown` until the first answer of the service; `ended` if it refuses a login that it accepted before. */
export const login = signal<'unknown' | 'out' | 'in' | 'ended'>('unknown');

export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Sent as JSON; a Blob is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request. @throws ApiError for every answer but a success */
export async function send(
  path: string,
  { method = 'GET', body, headers = {}, signal }: Asked = {},
): Promise<Response> {
  const isRaw = body instanceof Blob;
  const type = body === undefined || isRaw ? {} : { 'content-type': 'application/json' };
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: { 'x-aisec-page': '1', 'x-aisec-tab': TAB, ...type, ...headers },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    throw new ApiError(UNREACHABLE);
  }
  if (response.ok) return response;
  if (response.status === 401 && path !== '/login')
    login.value = ['in', 'ended'].includes(login.value) ? 'ended' : 'out';
  throw new ApiError(await problemIn(response));
}

/** Sends a request. @returns the JSON of the answer @throws ApiError */
export async function sendJson<T>(path: string, asked: Asked = {}): Promise<T> {
  const response = await send(path, asked);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export function problemFrom(thrown: unknown): Problem {
  if (thrown instanceof ApiError) return thrown.problem;
  return { status: 0, code: 'page', detail: thrown instanceof Error ? thrown.message : String(thrown) };
}

const UNREACHABLE: Problem = {
  status: 0,
  code: 'unreachable',
  detail: 'The service cannot be reached.',
  hint: 'Check that aisec serve is running; this page connects again by itself.',
};

async function problemIn(response: Response): Promise<Problem> {
  const { status } = response;
  const document = (await response.json().catch(() => ({}))) as Partial<Problem>;
  return { code: 'http', detail: `The service responded with status ${status}.`, ...document, status };
}

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Reads the events of a response until it ends. @param onData called for everything that arrives */
export async function* eventsOf(response: Response, onData?: () => void): AsyncGenerator<StreamEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData?.();
      text += value;
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const event = eventIn(part);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // An unread response keeps its connection, of which a browser has six.
    void reader.cancel().catch(() => undefined);
  }
}

function eventIn(part: string): StreamEvent | undefined {
  const fields = part.split('\n').map((line) => line.split(/: ?(.*)/s));
  const { id = '', event = 'message', data } = Object.fromEntries(fields) as Readonly<Record<string, string>>;
  return data === undefined ? undefined : { id, event, data: JSON.parse(data) };
}

const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [500, 10_000];
/** The service sends a comment every 15 seconds; after this time without one, the connection is dead. */
const SILENT_MS = 40_000;

export interface Followed {
  readonly signal: AbortSignal;
  readonly onEvent: (event: StreamEvent) => void;
  /** Called with true while the stream is connected, and with false while it is not. */
  readonly onConnected?: (isConnected: boolean) => void;
  /** Name of the event after which the stream is over. */
  readonly last?: string;
  /** Called before each connection. @returns the id of the last event that the page has */
  readonly from?: () => Promise<string>;
}

/** Follows a stream of events, and connects again after a lost connection, from the last event on. @throws ApiError if the service refuses the stream */
export async function follow(path: string, { signal, onEvent, onConnected, last, from }: Followed): Promise<void> {
  const isStopped = () => signal.aborted;
  let id = '';
  let pause = FIRST_PAUSE_MS;
  while (!isStopped()) {
    const silent = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENT_MS);
    };
    try {
      if (from !== undefined) id = await from();
      const ending = AbortSignal.any([signal, silent.signal]);
      const response = await send(path, { signal: ending, headers: id === '' ? {} : { 'last-event-id': id } });
      onConnected?.(true);
      heard();
      for await (const event of eventsOf(response, heard)) {
        pause = FIRST_PAUSE_MS;
        if (event.id !== '') id = event.id;
        onEvent(event);
        if (event.event === last) return;
      }
    } catch (thrown) {
      if (isStopped()) return;
      if (thrown instanceof ApiError && thrown.problem.status >= 400 && thrown.problem.status < 500) throw thrown;
    } finally {
      clearTimeout(timer);
    }
    onConnected?.(false);
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
}
