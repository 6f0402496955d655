/** The library: a client over a registry. `bin/library.ts` adds the commands and exports `createAisec`. */
import { clientOf } from './library/client.ts';
import type { ClientParts } from './library/parts.ts';
import type { Client, ClientOptions } from './library/types.ts';

export * from './errors.ts';
export type { CommandResult, ResultTruncation } from './library/result.ts';
export type * from './library/types.ts';

/** Creates the `createAisec` function of a registry. */
export function aisecWith<Commands extends object>(parts: ClientParts) {
  return (options: ClientOptions = {}): Client<Commands> => clientOf<Commands>(parts, options);
}
