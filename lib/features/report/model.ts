/** Data of a report page. JSON objects are read where they are rendered. */
import type { JsonObject } from '../../engine/json.ts';

/** One prompt and the target's response. */
export interface Turn {
  /** Absent if it repeats the previous prompt. */
  readonly prompt: string | undefined;
  readonly output: string | undefined;
  /** The target gave in. */
  readonly threat: boolean;
  /** Such as `Turn 3`. */
  readonly title: string | undefined;
  /** Comment of the service. */
  readonly note: string | undefined;
}

export interface Tries {
  readonly hit: number;
  readonly total: number;
}

/** An attack, goal or prompt to which the target gave in. */
export interface Attack {
  readonly severity: string | undefined;
  /** Classification from general to specific, such as category and sub-category. */
  readonly where: readonly string[];
  /** Noun for one try, such as `stream`. */
  readonly unit: string;
  /** Attack success rate, in percent. */
  readonly asr: number | undefined;
  readonly goal: string | undefined;
  readonly prompt: string | undefined;
  readonly markedSafe: boolean;
  /** Set if details were fetched. */
  readonly turns: readonly Turn[] | undefined;
  /** Judged tries, and successful ones. */
  readonly tries: Tries | undefined;
}

export interface Goal {
  readonly goal: JsonObject;
  /** Undefined if they were not fetched. */
  readonly streams: readonly JsonObject[] | undefined;
}

/** A part of the report that could not be read. */
export interface MissingPart {
  readonly what: string;
  readonly why: string;
  /** The service failed or refused, so the report may be incomplete. */
  readonly failed: boolean;
}

export interface ReportData {
  readonly job: JsonObject;
  readonly report: JsonObject;
  /** STATIC, DYNAMIC, CUSTOM, or another value of the service. */
  readonly type: string;
  /** Successful attacks, the worst first; the first ones with their turns. */
  readonly attacks: readonly Attack[];
  /** Number of successful attacks, if the service reports it. */
  readonly successful: number | undefined;
  readonly goals: readonly Goal[];
  readonly promptSets: readonly JsonObject[];
  readonly properties: readonly JsonObject[];
  /** Undefined if they could not be read. */
  readonly remediations: readonly JsonObject[] | undefined;
  readonly missing: readonly MissingPart[];
  readonly simulated: boolean;
  /** Creation time of the page, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}
