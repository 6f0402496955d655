/** A war room whose service is a script: each request must be the next in the script, and all must be used. */

import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/client/argv.ts';
import { AisecError } from '../../lib/core/errors.ts';
import type { HttpRequest, HttpResponse, Transport, Upload } from '../../lib/core/ports.ts';
import type { Runtime } from '../../lib/core/runtime.ts';
import { runtimeOf } from '../../lib/runtime/engine/command-runtime.ts';
import { dispatch } from '../../lib/runtime/engine/dispatch.ts';
import type { Result } from '../../lib/runtime/output/result.ts';
import { resolveSettings } from '../../lib/runtime/settings/settings.ts';
import { memoryFiles } from './files.ts';
import { ADVICE, silent, testClock } from './simulated.ts';

/** A separate origin for each plane, so that a request to the wrong plane is noticed. */
export const HOSTS = {
  management: 'https://management.example.com',
  scanner: 'https://scanner.example.com',
  dlp: 'https://dlp.example.com',
  token: 'https://token.example.com/oauth2/access_token',
} as const;

/** The tenant services group; as a number it would lose its leading zeros. */
export const TENANT = '0012003400';

/** Address of the management resources, such as `${MANAGEMENT}/topic`. */
export const MANAGEMENT = `${HOSTS.management}/aisec/v1/mgmt`;

/** Address of the DLP resources, such as `${DLP}/dictionaries`. */
export const DLP = `${HOSTS.dlp}/v2/api`;

export const ENVIRONMENT = {
  AISEC_BASE_URL: HOSTS.management,
  AISEC_CLIENT_ID: 'script-client',
  AISEC_CLIENT_SECRET: 'script-client-secret',
  AISEC_RUNTIME_API_KEY: 'script-runtime-key',
  AISEC_TSG_ID: TENANT,
  AISEC_SCANNER_BASE_URL: HOSTS.scanner,
  AISEC_DLP_BASE_URL: HOSTS.dlp,
  AISEC_TOKEN_URL: HOSTS.token,
} as const;

/** The response: a JSON value or text; without either the body is empty. */
export interface Answer {
  status?: number;
  answer?: unknown;
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** One request of a script, with its response. */
export interface Exchange extends Answer {
  /** Method and whole address, such as `GET https://management.example.com/...`. */
  request: string;
  /** The JSON value of the body, or the parts of a multipart body as `uploaded` lists them; absent without a body. */
  body?: unknown;
}

export interface Room {
  run(line: string, overrides?: Partial<Runtime>): Promise<Result>;
  /** Runs a line and returns the value at the command's context path. */
  value(line: string, overrides?: Partial<Runtime>): Promise<unknown>;
  /** Runs a line that must fail. */
  fail(line: string, overrides?: Partial<Runtime>): Promise<AisecError>;
  /** Sent requests, except token requests. */
  readonly requests: HttpRequest[];
  readonly tokenRequests: HttpRequest[];
  readonly runtime: Runtime;
}

/** A room on a service that answers every request; token requests are answered automatically. */
export function answering(service: (request: HttpRequest) => Answer): Room {
  const requests: HttpRequest[] = [];
  const tokenRequests: HttpRequest[] = [];
  const transport: Transport = {
    send: async (request) => {
      const isToken = request.url === HOSTS.token;
      (isToken ? tokenRequests : requests).push(request);
      return toResponse(
        isToken ? { answer: { access_token: 'script-access-token', expires_in: 900 } } : service(request),
      );
    },
  };
  return { ...roomOn(transport), requests, tokenRequests };
}

/** Opens a room on a service that answers every request with the same JSON value. */
export const answeringWith = (answer: unknown = {}): Room => answering(() => ({ answer }));

/** Returns the table of a result with this title. */
export const tableOf = ({ readable }: Result, title: string) => readable.tables.find((table) => table.title === title);

/** Plays a script. At the end, the requests must be exactly those of the script, in order. */
export async function scripted(script: readonly Exchange[], use: (room: Room) => Promise<void>): Promise<void> {
  const came: Pick<Exchange, 'request' | 'body'>[] = [];
  const room = answering((request) => {
    const next = script[came.length];
    came.push(asked(request));
    if (next?.request !== `${request.method} ${request.url}`) throw new Error('The script does not go on like this.');
    return next;
  });
  try {
    await use(room);
  } finally {
    // This error explains the failure better than those that follow from it, so it is thrown last.
    expect(came).toStrictEqual(script.map(({ request, body }) => ({ request, body })));
  }
}

/** A request in the words of a script. */
export function asked({ method, url, body, upload }: HttpRequest): Pick<Exchange, 'request' | 'body'> {
  const json = body === undefined ? undefined : JSON.parse(body);
  return { request: `${method} ${url}`, body: upload === undefined ? json : uploaded(upload) };
}

/** A multipart body in the words of a dry run: the text of each part, and the known facts about the file. */
function uploaded({ file, field, parts }: Upload): unknown[] {
  const texts = parts.map(({ name, text }) => ({ part: name, text }));
  return [...texts, { part: field, file: file.name, bytes: file.size ?? null }];
}

function toResponse({ status = 200, answer, text, headers = {} }: Answer): HttpResponse {
  return { status, headers, body: text ?? (answer === undefined ? '' : JSON.stringify(answer)) };
}

function roomOn(transport: Transport): Pick<Room, 'run' | 'value' | 'fail' | 'runtime'> {
  const runtime: Runtime = runtimeOf({
    settings: resolveSettings({ environment: ENVIRONMENT }).settings,
    transport,
    clock: testClock(),
    log: silent,
    files: memoryFiles(),
    context: {},
    advice: ADVICE,
  });
  const run: Room['run'] = (line, overrides = {}) => dispatch(parseLine(line), registry, { ...runtime, ...overrides });
  return {
    runtime,
    run,
    value: async (line, overrides) => (await run(line, overrides)).writes[0]?.value,
    fail: async (line, overrides) => {
      const thrown: unknown = await run(line, overrides).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (thrown instanceof AisecError) return thrown;
      throw new Error(`${line} was expected to fail`);
    },
  };
}
