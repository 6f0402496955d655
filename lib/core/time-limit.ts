/** The longest time limit: Node and some engines end a timer beyond 2^31 ms at once. */
import { UsageError } from './errors.ts';

/** In seconds: 24 days. */
export const MAX_SECONDS = 2_073_600;

/**
 * Checks a time limit before it becomes a timer.
 * @param name of the option or argument, for the message
 * @param milliseconds undefined: the caller has set none
 * @throws UsageError if it is not a number from 0 to 24 days
 */
export function checkTimeLimit(name: string, milliseconds: number | undefined): void {
  const isNumber = typeof milliseconds === 'number';
  if (milliseconds === undefined || (isNumber && milliseconds >= 0 && milliseconds <= MAX_SECONDS * 1000)) return;
  throw new UsageError(`${name} must be from 0 to ${MAX_SECONDS * 1000} milliseconds (24 days).`, {
    argument: name,
    hint: 'Wait for less time, and run the command again for work that takes longer.',
  });
}
