import type { Method } from '../core/ports.ts';

/** The request that a dry run does not send. */
export interface Plan {
  readonly method: Method;
  readonly url: string;
  readonly body: unknown;
}

/** Thrown instead of the first change of a dry run. It never reaches the user. */
export class Planned extends Error {
  override readonly name = 'Planned';
  readonly plan: Plan;

  constructor(plan: Plan) {
    super('A dry run stops here.');
    this.plan = plan;
  }
}
