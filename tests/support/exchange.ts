/** A scripted service below the commands: one reply per request, one origin per plane, a test clock. */

import { parseLine } from '../../lib/client/argv.ts';
import { AisecError } from '../../lib/core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../lib/core/ports.ts';
import { responseRedaction } from '../../lib/core/redaction/responses.ts';
import type { Runtime } from '../../lib/core/runtime.ts';
import { Api, type Caller } from '../../lib/runtime/api/client.ts';
import type { Command } from '../../lib/runtime/engine/command.ts';
import { dispatch } from '../../lib/runtime/engine/dispatch.ts';
import type { Result } from '../../lib/runtime/output/result.ts';
import { timedOut } from '../../lib/runtime/transport/failures.ts';
import { answering } from './scripted.ts';
import { type TestClock, testClock } from './simulated.ts';

export interface Reply extends Partial<HttpResponse> {
  /** The body as a JSON value, instead of `body`. */
  readonly json?: unknown;
  /** Latency of the response; beyond the request's limit, the request times out. */
  readonly takesMs?: number;
}

/** Replies in order, after which no request is expected; or a rule. An error is a failed connection. */
export type Script = readonly (Reply | Error)[] | ((request: HttpRequest, count: number) => Reply | Error);

export interface Stage {
  readonly runtime: Runtime;
  readonly clock: TestClock;
  /** Requests to the planes, except token requests. */
  readonly requests: HttpRequest[];
  readonly tokenRequests: HttpRequest[];
  /**
   * Creates the API of one command.
   *
   * @param caller properties and secret arguments of the command; default: a reading command
   */
  api(caller?: Partial<Caller> & { readonly secrets?: readonly string[] }): Api;
  /** Runs a line for a command that is in no registry. */
  run(line: string, command: Command, overrides?: Partial<Runtime>): Promise<Result>;
}

export const OK: Reply = { json: {} };

/** A reply from the token address. */
export function token(value: string, members: Readonly<Record<string, unknown>> = { expires_in: 900 }): Reply {
  return { json: { access_token: value, ...members } };
}

interface StageOptions extends Partial<Runtime> {
  /** Response of the token address; default: a new token each time. */
  readonly token?: Script;
  /** The clock's random number. */
  readonly random?: number;
}

/** Sets up a service. */
export function stage(service: Script, options: StageOptions = {}): Stage {
  const { token: tokens = (_, count) => token(`access-${count}`), random, ...overrides } = options;
  const clock = testClock(undefined, random);
  const requests: HttpRequest[] = [];
  const tokenRequests: HttpRequest[] = [];
  const runtime: Runtime = {
    ...answering(() => ({})).runtime,
    transport: {
      send: async (request) => {
        const isToken = request.url === runtime.settings.token_url;
        const seen = isToken ? tokenRequests : requests;
        seen.push(request);
        return answer(request, replyTo(isToken ? tokens : service, request, seen.length - 1), clock);
      },
    },
    clock,
    ...overrides,
  };
  return {
    runtime,
    clock,
    requests,
    tokenRequests,
    api: ({ secrets = [], ...caller } = {}) =>
      new Api(runtime, { effect: 'read', redact: responseRedaction(runtime, secrets), ...caller }),
    run: (line, command, more = {}) =>
      dispatch(parseLine(line), { [command.name]: async () => command }, { ...runtime, ...more }),
  };
}

function replyTo(script: Script, request: HttpRequest, count: number): Reply | Error {
  const reply = typeof script === 'function' ? script(request, count) : script[count];
  return reply ?? new Error(`No reply is left for ${request.method} ${request.url}.`);
}

function answer({ url, timeoutMs }: HttpRequest, reply: Reply | Error, clock: TestClock): HttpResponse {
  if (reply instanceof Error) throw reply;
  const { json, takesMs = 0, ...response } = reply;
  clock.advance(Math.min(takesMs, timeoutMs));
  if (takesMs >= timeoutMs) throw timedOut(new URL(url).host, 'waiting', timeoutMs);
  const body = json === undefined ? '' : JSON.stringify(json);
  return { status: 200, headers: {}, body, ...response };
}

/** The error with which a promise must reject. */
export async function failing(promise: Promise<unknown>): Promise<AisecError> {
  const thrown: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof AisecError) return thrown;
  throw thrown instanceof Error ? thrown : new Error('It was expected to fail.');
}
