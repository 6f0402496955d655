/** Runs commands for the gate, the report and playbooks. */
import { type JsonObject, objectOf, objectsOf } from '../../core/json.ts';
import type { Result } from '../output/result.ts';

/** The output of a command: the value at the command's context path. */
export interface CommandOutput {
  /** The single record; empty if the output is a list. */
  readonly record: JsonObject;
  /** The list; empty if the output is a single record. */
  readonly records: readonly JsonObject[];
  /** Response of the service, with members that no output declares; for a list, its records. */
  readonly raw?: unknown;
  /** The service has more records than the list. */
  readonly incomplete?: boolean;
  /** Why the list cannot be complete, whatever its limit: the response contradicts itself. */
  readonly gap?: string;
  /** The response came from the simulated service. */
  readonly simulated: boolean;
}

/** Runs a command. @throws any AisecError */
export type RunCommand = (command: string, args: Readonly<Record<string, string>>) => Promise<CommandOutput>;

/** Returns the output of a command's result. */
export function outputOf({ writes, raw, truncated, gap, simulated }: Result): CommandOutput {
  const value = writes[0]?.value;
  return {
    record: objectOf(value),
    records: objectsOf(value),
    raw,
    incomplete: truncated !== undefined,
    ...(gap === undefined ? {} : { gap }),
    simulated,
  };
}
