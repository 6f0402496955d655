/** The library that users of a client import. `bin/library.ts` adds the commands and exports `createAisec`. */
export * from '../core/errors.ts';
export type { CommandResult, ResultTruncation } from './result.ts';
export type * from './types.ts';
