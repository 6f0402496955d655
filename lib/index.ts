/** The library: a client over a registry. `bin/library.ts` joins it with the commands, as `createAisec`. */
import { type ClientParts, clientOf } from './library/client.ts';
import type { Client, ClientOptions } from './library/types.ts';

export * from './errors.ts';
export type { CommandResult, ResultTruncation } from './library/result.ts';
export type * from './library/types.ts';

/** Makes `createAisec` for a registry. */
export function aisecWith<Commands extends object>(parts: ClientParts) {
  return (options: ClientOptions = {}): Client<Commands> => clientOf<Commands>(parts, options);
}
