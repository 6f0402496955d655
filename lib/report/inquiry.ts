/** Asks commands for a report, remembers who answered, and what could not be had. */
import type { Answer, Ask } from '../ask.ts';
import { NotFoundError, PermissionError, ServiceError } from '../errors.ts';
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
        const none = thrown instanceof NotFoundError;
        if (!none && !(thrown instanceof ServiceError) && !(thrown instanceof PermissionError)) throw thrown;
        losses.push({ what, why: thrown.message, failed: !none });
        return undefined;
      }
    },
    losses,
    simulated: () => simulated,
  };
}
