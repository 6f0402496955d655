/** The library: a client over a registry. `bin/library.ts` adds the commands and exports `createAisec`. */
import { clientOf } from './client.ts';
import type { ClientParts } from './parts.ts';
import type { Client, ClientOptions } from './types.ts';

export * from '../core/errors.ts';
export type { CommandResult, ResultTruncation } from './result.ts';
export type * from './types.ts';

/** Creates the `createAisec` function of a registry. */
export function aisecWith<Commands extends object>(parts: ClientParts) {
  return (options: ClientOptions = {}): Client<Commands> => clientOf<Commands>(parts, options);
}
