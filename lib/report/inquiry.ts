/** Asks commands for a report, remembers who answered, and what could not be had. */
import type { Answer, Ask } from '../ask.ts';
import { AisecError, NotFoundError, ServiceError } from '../errors.ts';
import type { Loss } from './model.ts';

type Args = Readonly<Record<string, string>>;

export interface Inquiry {
  /** What the report cannot do without. @throws AisecError of every kind */
  readonly need: Ask;
  /**
   * What the report can do without: where the service has none, refuses or fails, that becomes a loss.
   * @param what begins a sentence, such as `The remediation`
   */
  readonly want: (what: string, command: string, args: Args) => Promise<Answer | undefined>;
  readonly losses: readonly Loss[];
  /** Has the simulated service answered anything? */
  readonly simulated: () => boolean;
}

/** Asks for one report. */
export function inquiry(ask: Ask): Inquiry {
  const losses: Loss[] = [];
  let simulated = false;
  const need: Ask = async (command, args) => {
    const answer = await ask(command, args);
    simulated ||= answer.simulated;
    return answer;
  };
  return {
    need,
    want: async (what, command, args) => {
      try {
        return await need(command, args);
      } catch (thrown) {
        if (!(thrown instanceof AisecError) || !concernsThisAlone(thrown)) throw thrown;
        losses.push({ what, why: thrown.message, failed: !(thrown instanceof NotFoundError) });
        return undefined;
      }
    },
    losses,
    simulated: () => simulated,
  };
}

/** Statuses that every other request would get as well. */
const FOR_ALL: readonly number[] = [401, 429];

/** The service was there, and gave this one answer or refusal. */
function concernsThisAlone(error: AisecError): boolean {
  return error instanceof ServiceError || (error.status !== undefined && !FOR_ALL.includes(error.status));
}
