/** Runs whose record cannot be read, such as after an exchange of keys. */
import { ConfigurationError } from '../../../core/errors.ts';
import type { Run } from '../../port.ts';

/** Larger numbers are not valid dates. */
const MAX_MS = 8.64e15;

/** Lists a run in place of its record. Its owner is unknown, so only administrators of the tenant see it. */
export function unreadableRun(id: string, created: number, identity: string, thrown: unknown): Run {
  return {
    id,
    owner: { tenant: '', caller: '', identity, limits: {} },
    command: '',
    state: 'unreadable',
    created: new Date(Math.abs(created) < MAX_MS ? created : 0).toISOString(),
    started: null,
    ended: null,
    progress: null,
    error: (thrown instanceof ConfigurationError ? thrown : damaged()).toJSON(),
  };
}

/** The parser's own message would quote the record. */
function damaged(): ConfigurationError {
  return new ConfigurationError('The record of this run is damaged.', {
    hint: 'Check what else writes to this Redis. The record disappears by itself within two weeks.',
  });
}
