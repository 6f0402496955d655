/** Creates the guards of a service: every decision is counted, and is a line of the log. */
import type { StartOptions } from '../../../client/types.ts';
import { decisionLine } from '../../../guard/log-line.ts';
import { createLog } from '../../../log/log.ts';
import type { Metrics } from '../metrics.ts';
import { Guards } from './guards.ts';
import { type GuardPolicy, STRICT } from './policy.ts';

interface Parts {
  readonly policy?: GuardPolicy | undefined;
  readonly metrics: Pick<Metrics, 'decided'>;
  readonly log: StartOptions['log'];
}

export function guardsOf({ policy = STRICT, metrics, log: options }: Parts): Guards {
  // A line has no secret: no text, no argument and no setting.
  const log = options === undefined ? undefined : createLog({ ...options, secrets: () => [] });
  return new Guards({
    policy,
    onDecision: (decision, { tenant, profile, request }) => {
      metrics.decided(decision);
      const { level, message, fields } = decisionLine(decision);
      log?.[level](message, { profile, ...fields, request, ...(tenant === '' ? {} : { tenant }) });
    },
  });
}
