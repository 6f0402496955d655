/** Runs the commands that a report needs, and records which parts could not be read. */

import { AisecError, NotFoundError, ServiceError } from '../../../engine/errors.ts';
import type { CommandOutput, RunCommand } from '../../../engine/run-command.ts';
import type { MissingPart } from '../model.ts';

type Args = Readonly<Record<string, string>>;

export interface ReportSource {
  /** Reads a part that the report requires. @throws AisecError of every kind */
  readonly required: RunCommand;
  /**
   * Reads an optional part; if the service has none, refuses or fails, or sends a list that cannot be complete, the part
   * is recorded as missing.
   * @param what begins a sentence, such as `The remediation`
   */
  readonly optional: (what: string, command: string, args: Args) => Promise<CommandOutput | undefined>;
  /** Records a part as missing if the service lists fewer records than it counts. */
  readonly expect: (what: string, listed: number, counted: number) => void;
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
        const answer = await required(command, args);
        if (answer.gap !== undefined) missing.push({ what, why: answer.gap, failed: true });
        return answer;
      } catch (thrown) {
        if (!(thrown instanceof AisecError) || !concernsOnlyThisRequest(thrown)) throw thrown;
        missing.push({ what, why: thrown.message, failed: !(thrown instanceof NotFoundError) });
        return undefined;
      }
    },
    expect: (what, listed, counted) => {
      const isKnown = missing.some((part) => part.what === what);
      if (listed < counted && !isKnown)
        missing.push({ what, why: `The service lists ${listed}, and counts ${counted}.`, failed: true });
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
