/** Runs the commands that a report needs, and records which parts could not be read. */

import { AisecError, NotFoundError, ServiceError } from '../errors.ts';
import type { CommandOutput, RunCommand } from '../run-command.ts';
import type { MissingPart } from './model.ts';

type Args = Readonly<Record<string, string>>;

export interface ReportSource {
  /** Reads a part that the report requires. @throws AisecError of every kind */
  readonly required: RunCommand;
  /**
   * Reads an optional part; if the service has none, refuses or fails, the part is recorded as missing.
   * @param what begins a sentence, such as `The remediation`
   */
  readonly optional: (what: string, command: string, args: Args) => Promise<CommandOutput | undefined>;
  readonly missing: readonly MissingPart[];
  /** Tells whether any response came from the simulated service. */
  readonly simulated: () => boolean;
}

/** Creates the source of one report. */
export function reportSource(ask: RunCommand): ReportSource {
  const missing: MissingPart[] = [];
  let simulated = false;
  const required: RunCommand = async (command, args) => {
    const answer = await ask(command, args);
    simulated ||= answer.simulated;
    return answer;
  };
  return {
    required,
    optional: async (what, command, args) => {
      try {
        return await required(command, args);
      } catch (thrown) {
        if (!(thrown instanceof AisecError) || !concernsOnlyThisRequest(thrown)) throw thrown;
        missing.push({ what, why: thrown.message, failed: !(thrown instanceof NotFoundError) });
        return undefined;
      }
    },
    missing,
    simulated: () => simulated,
  };
}

/** Statuses that every other request would get too. */
const FOR_ALL: readonly number[] = [401, 429];

/** Tells whether the failure concerns this request only. */
function concernsOnlyThisRequest(error: AisecError): boolean {
  return error instanceof ServiceError || (error.status !== undefined && !FOR_ALL.includes(error.status));
}
