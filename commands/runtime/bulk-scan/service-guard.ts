/** Keeps one run on one service, simulated or real. */
import type { Api } from '../../../lib/api/client.ts';
import { ConflictError } from '../../../lib/errors.ts';
import type { Notes } from './journal.ts';
import type { Restored } from './restored.ts';

/** An API client that tracks whether the simulated service responds. */
export interface GuardedService extends Pick<Api, 'fetch'> {
  simulated(): boolean | undefined;
}

/** Rejects a change of service within a run, so that simulated verdicts never mix with those of a tenant. */
export function guardService(api: Api, restored: Restored, notes: Notes): GuardedService {
  let known = restored.simulated;
  return {
    simulated: () => known,
    fetch: async (call) => {
      const answer = await api.fetch(call);
      const simulated = api.simulated();
      if (known === undefined) {
        known = simulated;
        await notes.answered(simulated);
      }
      if (known !== simulated) throw otherService(known);
      return answer;
    },
  };
}

function otherService(simulated: boolean): ConflictError {
  const [before, now] = simulated ? ['the simulated service', 'a tenant'] : ['a tenant', 'the simulated service'];
  return new ConflictError(`The earlier part of this run was answered by ${before}, and this one by ${now}.`, {
    hint: 'Leave resume out to begin again, or go on where the run began.',
  });
}
