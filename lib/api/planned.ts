import type { Method } from '../ports.ts';

/** The request that a dry run stopped at. */
export interface Plan {
  readonly method: Method;
  readonly url: string;
  readonly body: unknown;
}

/** Thrown in place of the first change that a dry run would make. It never reaches a user. */
export class Planned extends Error {
  override readonly name = 'Planned';
  readonly plan: Plan;

  constructor(plan: Plan) {
    super('A dry run stops here.');
    this.plan = plan;
  }
}
