/** Keeps one run on one service, simulated or real. */
import type { Api } from '../../../lib/api/client.ts';
import { ConflictError } from '../../../lib/core/errors.ts';
import type { Notes } from './journal.ts';
import type { Restored } from './restored.ts';

/** An API client that tracks whether the simulated service responds. */
export interface GuardedService extends Pick<Api, 'fetch'> {
  simulated(): boolean | undefined;
}

/** Keeps a run on one service. */
export interface OneService {
  simulated(): boolean | undefined;
  /** Notes which service has responded. @throws ConflictError if another service responded before */
  answered(simulated: boolean): Promise<void>;
}

/** @param known the service of an earlier run; undefined before the first response */
export function oneService(known: boolean | undefined, notes: Notes): OneService {
  let first = known;
  return {
    simulated: () => first,
    answered: async (simulated) => {
      if (first === undefined) {
        first = simulated;
        await notes.answered(simulated);
      }
      if (first !== simulated) throw otherService(first);
    },
  };
}

/** Rejects a change of service within a run, so that simulated verdicts never mix with those of a tenant. */
export function guardService(api: Api, restored: Restored, notes: Notes): GuardedService {
  const service = oneService(restored.simulated, notes);
  return {
    simulated: service.simulated,
    fetch: async (call) => {
      const answer = await api.fetch(call);
      await service.answered(api.simulated());
      return answer;
    },
  };
}

function otherService(simulated: boolean): ConflictError {
  const [before, now] = simulated ? ['the simulated service', 'a tenant'] : ['a tenant', 'the simulated service'];
  return new ConflictError(`The earlier part of this run was answered by ${before}, and this one by ${now}.`, {
    hint: 'Omit resume to start over, or use the first service again.',
  });
}
