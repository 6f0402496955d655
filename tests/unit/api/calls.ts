/** Calls, replies and rooms shared by the tests of the API layer. */

import type { AisecError } from '../../../lib/core/errors.ts';
import type { Effect } from '../../../lib/core/runtime.ts';
import { memoryTokens } from '../../../lib/core/shared.ts';
import { type Call, management, scanner } from '../../../lib/runtime/api/call.ts';
import { path } from '../../../lib/runtime/api/path.ts';
import { failing, OK, type Reply, type Script, type Stage, stage } from '../../support/exchange.ts';

export const things = path`/v1/things`;
export const read = management.get(things);
export const create = management.post(things, { name: 'a' });
export const scan = scanner.post(path`/v1/scan`, { prompt: 'a' });

/** Effects of the commands that change something. */
export const CHANGES: readonly Effect[] = ['create', 'update', 'replace', 'delete', 'run'];

/** Part of the hint about a change that may have been made. */
export const UNKNOWN = 'outcome is unknown';

export const SOME_TEXT = expect.stringMatching(/\w/) as string;

/** A script that sends the same reply to every request. */
export const always = (reply: Reply | Error) => () => reply;

/** A reply with a status code. */
export const status = (code: number, more: Reply = {}): Reply => ({ status: code, ...more });

/** Returns the error that results from a reply of the service. */
export function failed(reply: Reply, call: Call = read, effect: Effect = 'read'): Promise<AisecError> {
  return failing(stage(always(reply)).api({ effect }).fetch(call));
}

/** Returns the values of the sent authorization headers. */
export const bearer = (room: Stage) => room.requests.map(({ headers }) => headers['authorization']);

/** Sets up a service whose caller has a token from an earlier command. */
export async function withKeptToken(service: Script, options?: Parameters<typeof stage>[1]): Promise<Stage> {
  const tokens = memoryTokens();
  await stage(always(OK), { tokens }).api().fetch(read);
  return stage(service, { tokens, ...options });
}
