/** What a report page is made of. Members of JSON objects are looked at where they are shown. */
import type { JsonObject } from '../json.ts';

/** One answer of the target, and what it was asked. */
export interface Turn {
  /** Absent where it is the prompt of the turn before. */
  readonly prompt: string | undefined;
  readonly output: string | undefined;
  /** The target gave in. */
  readonly threat: boolean;
  /** Such as `Turn 3`. */
  readonly title: string | undefined;
  /** What the service says of it. */
  readonly remark: string | undefined;
}

export interface Tries {
  readonly hit: number;
  readonly total: number;
}

/** An attack, goal or prompt to which the target gave in. */
export interface Attack {
  readonly severity: string | undefined;
  /** From the whole to the part, such as category and sub-category. */
  readonly where: readonly string[];
  /** What each try was, such as `stream`. */
  readonly unit: string;
  /** How many of the tries were successful, in percent. */
  readonly asr: number | undefined;
  readonly goal: string | undefined;
  readonly prompt: string | undefined;
  readonly markedSafe: boolean;
  /** Set where it was looked at closely. */
  readonly turns: readonly Turn[] | undefined;
  /** Tries that were judged, and those in which the target gave in. */
  readonly tries: Tries | undefined;
}

export interface Goal {
  readonly goal: JsonObject;
  /** Undefined where they were not asked for. */
  readonly streams: readonly JsonObject[] | undefined;
}

/** What could not be had. */
export interface Loss {
  readonly what: string;
  readonly why: string;
  /** The service failed, or refused it: there may be more than is shown. */
  readonly failed: boolean;
}

export interface ReportData {
  readonly job: JsonObject;
  readonly report: JsonObject;
  /** STATIC, DYNAMIC, CUSTOM, or what else the service says. */
  readonly type: string;
  /** Successful attacks, the worst first; those at the beginning with their turns. */
  readonly attacks: readonly Attack[];
  /** How many of them there are, as far as the service says. */
  readonly successful: number | undefined;
  readonly goals: readonly Goal[];
  readonly promptSets: readonly JsonObject[];
  readonly properties: readonly JsonObject[];
  /** Undefined where they could not be had. */
  readonly remediations: readonly JsonObject[] | undefined;
  readonly losses: readonly Loss[];
  readonly simulated: boolean;
  /** When the page was made, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** Of this program. */
  readonly version: string;
}
