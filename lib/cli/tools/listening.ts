/** Errors of subcommands that listen. */
import { UsageError } from '../../engine/errors.ts';
import { codeOf } from '../../node/system-error.ts';

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'is in use'],
  ['EACCES', 'is not allowed'],
  ['EADDRNOTAVAIL', 'is not an address of this machine'],
]);

/** Returns a UsageError for a place where the system does not let us listen; any other error as it is. */
export function cannotListen(thrown: unknown, place: string, hint: string): unknown {
  const reason = REASONS.get(codeOf(thrown));
  return reason === undefined ? thrown : new UsageError(`${place} ${reason}.`, { hint });
}
