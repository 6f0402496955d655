import { ConflictError } from '../../../core/errors.ts';

/** Returns the error for work that only one side simulates. @param simulates whether the worker simulates */
export function otherService(simulates: boolean): ConflictError {
  const [here, there] = simulates ? ['the simulated service', 'a tenant'] : ['a tenant', 'the simulated service'];
  return new ConflictError(`The workers use ${here}, and the work is meant for ${there}.`, {
    hint: 'Start both with --simulate, or neither.',
  });
}
