/** Attempts at a run: they identify its worker, and tell other workers whether it may be repeated. */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../../core/errors.ts';
import type { Run } from '../../port.ts';

/** The attempt of a run that has ended. */
export const ENDED = 'ended';
const ONCE = 'once';

/** Names a new attempt. @param isRepeatable the work may be repeated, even if it may have been done already */
export function newAttempt(isRepeatable: boolean): string {
  return `${isRepeatable ? 'again' : ONCE} ${randomBytes(8).toString('hex')}`;
}

/**
 * Reports whether an earlier attempt may have carried out the work.
 * @param hasCheckpoint the work resumes from a checkpoint
 */
export function isDoubtful(attempt: string, hasCheckpoint: boolean): boolean {
  return attempt.startsWith(`${ONCE} `) && !hasCheckpoint;
}

/** Returns the error of a run whose worker was lost. */
export function lostRun({ command }: Pick<Run, 'command'>, why: string): ServiceError {
  return new ServiceError(`A worker was lost while it ran ${command} (${why.slice(0, 200)}).`, {
    hint: 'Whether it was carried out is unknown: check the service before you start it again.',
    outcomeUnknown: true,
  });
}

const MAX_REMEMBERED = 10_000;

/** The latest runs that this process has begun: after a kill, Redis may have forgotten them. */
export class Attempted extends Set<string> {
  override add(id: string): this {
    const [oldest] = this;
    if (this.size >= MAX_REMEMBERED && oldest !== undefined) this.delete(oldest);
    return super.add(id);
  }
}
