/** What parts of the program that decide on results, or show them, ask commands for. */
import type { JsonObject } from './json.ts';

/** What a command left under its own path. */
export interface Answer {
  /** Where it left one record; empty where it left a list. */
  readonly record: JsonObject;
  /** Where it left a list; empty where it left one record. */
  readonly records: readonly JsonObject[];
  /** The simulated service answered. */
  readonly simulated: boolean;
}

/** Runs a command. @throws AisecError of every kind */
export type Ask = (command: string, args: Readonly<Record<string, string>>) => Promise<Answer>;
