/** Runs the commands that a report needs, and records which parts could not be read. */
import { AisecError, NotAllowedError, NotFoundError, ServiceError } from '../../../core/errors.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { type ArgumentsOf, type CommandName, type OutputOf, runCommand } from '../commands.ts';
import type { MissingPart } from '../report-data.ts';

/** Statuses that would also fail every other request. */
const FOR_ALL: readonly number[] = [401, 429];

/** The source of one report. */
export class ReportSource {
  readonly missing: MissingPart[] = [];
  /** Runs a command that the report requires. @throws AisecError of any kind */
  readonly run: RunCommand;
  #simulated = false;

  readonly #isOptional: (error: AisecError) => boolean;

  /** @param isOptional reports whether an error may leave out an optional part. Default: errors about one request */
  constructor(run: RunCommand, isOptional = concernsOnlyThisRequest) {
    this.#isOptional = isOptional;
    this.run = async (command, args) => {
      const output = await run(command, args);
      this.#simulated ||= output.simulated;
      return output;
    };
  }

  /** Reports whether any response came from the simulated service. */
  get simulated(): boolean {
    return this.#simulated;
  }

  /**
   * Reads an optional part. Records it as missing if the service does not have it, refuses or fails, or sends an
   * incomplete list.
   * @param what begins a sentence, such as `The remediation`
   */
  async optional<N extends CommandName>(
    what: string,
    command: N,
    args: ArgumentsOf<N>,
  ): Promise<OutputOf<N> | undefined> {
    try {
      const output = await runCommand(this.run, command, args);
      if (output.gap !== undefined) this.missing.push({ what, why: output.gap, failed: true });
      return output;
    } catch (thrown) {
      if (!(thrown instanceof AisecError) || !this.#isOptional(thrown)) throw thrown;
      this.missing.push({ what, why: thrown.message, failed: !(thrown instanceof NotFoundError) });
      return undefined;
    }
  }

  /** Records a part as missing if the service lists fewer records than it counts. */
  expect(what: string, listed: number, counted: number): void {
    if (listed >= counted || this.missing.some((part) => part.what === what)) return;
    this.missing.push({ what, why: `The service lists ${listed}, and counts ${counted}.`, failed: true });
  }
}

/** Reports whether another request may succeed. */
export function concernsOnlyThisRequest(error: AisecError): boolean {
  if (error instanceof NotAllowedError || error instanceof ServiceError) return true;
  return error.status !== undefined && !FOR_ALL.includes(error.status);
}
