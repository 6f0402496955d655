/** Data of a report page. */
import { asText } from '../../core/json.ts';
import { anyOf, flagOf, list, numberOf, object, type Received, stringOf, textOf } from '../../core/received.ts';
import type { RecordOf, RedTeamReport, RedTeamScan } from './commands.ts';

/** Returns a member of any type as text; undefined only if the member is missing. */
function saidOf(value: unknown): string | undefined {
  return value === undefined ? undefined : asText(value);
}

/** Reads an attack, a goal or a prompt, including members that command outputs leave out. */
export const readAttack = object({
  uuid: textOf,
  attack_id: textOf,
  prompt_id: textOf,
  prompt: textOf,
  prompt_text: textOf,
  prompt_set_name: textOf,
  goal: textOf,
  goal_to_show: textOf,
  // Fingerprints and labels need the names exactly as sent.
  goal_type: stringOf,
  category: stringOf,
  category_display_name: stringOf,
  sub_category: stringOf,
  sub_category_display_name: stringOf,
  severity: textOf,
  asr: numberOf,
  multi_turn: flagOf,
  marked_safe: flagOf,
  threat: flagOf,
  // Any value except the expected value makes the outcome doubtful.
  error: anyOf,
  status: saidOf,
  job_id: saidOf,
});

export type AttackRow = Partial<ReturnType<typeof readAttack>>;

export const readAnswers = list({
  prompt: textOf,
  output: textOf,
  threat: flagOf,
  error_message: textOf,
  turn: numberOf,
  generation: anyOf,
});

export type Answer = ReturnType<typeof readAnswers>[number];

const BREAKDOWN = {
  id: textOf,
  display_name: textOf,
  category: textOf,
  successful: numberOf,
  failed: numberOf,
  total: numberOf,
  total_attacks: numberOf,
  asr: numberOf,
  score: numberOf,
};

/** Counts of one part of the report. */
export type Part = Received<typeof BREAKDOWN>;

/** Reads the categories of a report; a framework is a category with techniques. */
export const readCategories = list({ ...BREAKDOWN, sub_categories: list(BREAKDOWN), techniques: list(BREAKDOWN) });

export const readSeverities = list({ severity: textOf, successful: numberOf, failed: numberOf });

export const readPromptSets = list({
  prompt_set_name: textOf,
  prompt_set_id: textOf,
  total_threats: numberOf,
  total_attacks: numberOf,
  threat_rate: numberOf,
});

/** Reads the properties of the prompts of a custom scan. */
export const readProperties = list({
  property_name: textOf,
  values: list({
    value: textOf,
    successful_attack_count: numberOf,
    total_attack_count: numberOf,
    success_rate: numberOf,
  }),
});

export const readRemediations = list({
  remediation: textOf,
  description: textOf,
  priority_level: textOf,
  effectiveness_level: textOf,
  ease_of_implementation_level: textOf,
  resource_links: (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.map(textOf).filter((address) => address !== undefined) : [],
});

export type Remediation = ReturnType<typeof readRemediations>[number];

export interface Turn {
  /** Absent if it repeats the previous prompt. */
  readonly prompt: string | undefined;
  readonly output: string | undefined;
  readonly threat: boolean;
  /** Such as `Turn 3`. */
  readonly title: string | undefined;
  readonly note: string | undefined;
}

export interface Tries {
  readonly hit: number;
  readonly total: number;
}

/** An attack, goal or prompt to which the target gave in. */
export interface Attack {
  readonly severity?: string | undefined;
  /** Classification from general to specific, such as category and sub-category. */
  readonly where: readonly string[];
  /** Noun for one try, such as `stream`. */
  readonly unit: string;
  /** Attack success rate, in percent. */
  readonly asr?: number | undefined;
  readonly goal?: string | undefined;
  readonly prompt?: string | undefined;
  readonly markedSafe: boolean;
  /** Set if details were fetched. */
  readonly turns?: readonly Turn[] | undefined;
  /** Judged tries, and successful ones. */
  readonly tries?: Tries | undefined;
}

export interface Goal {
  readonly goal: RecordOf<'aisec-redteam-report-goals-list'>;
  /** Undefined if they were not fetched. */
  readonly streams: readonly RecordOf<'aisec-redteam-report-goal-streams-list'>[] | undefined;
}

export interface MissingPart {
  readonly what: string;
  readonly why: string;
  /** The service failed or refused, so the report may be incomplete. */
  readonly failed: boolean;
}

/** Findings that depend on the scan type. */
export interface Findings {
  /** Successful attacks, worst first; the first attacks include their turns. */
  readonly attacks: readonly Attack[];
  readonly goals: readonly Goal[];
  readonly promptSets: ReturnType<typeof readPromptSets>;
  readonly properties: ReturnType<typeof readProperties>;
}

export interface ReportData extends Findings {
  readonly job: RedTeamScan;
  readonly report: RedTeamReport;
  /** STATIC, DYNAMIC, CUSTOM, or another value of the service. */
  readonly type: string;
  /** In percent; contradicted if the report counts something else. */
  readonly asr: number | 'contradicted' | undefined;
  /** Number of successful attacks, if the service reports it. */
  readonly successful: number | undefined;
  /** Undefined if they could not be read. */
  readonly remediations: readonly Remediation[] | undefined;
  readonly missing: readonly MissingPart[];
  readonly simulated: boolean;
  /** Creation time of the page, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

/** Returns the number of successful attacks and of all attacks or, for a dynamic scan, of its streams. */
export function attackCounts(job: RedTeamScan, report: RedTeamReport) {
  const isDynamic = job.job_type === 'DYNAMIC';
  return {
    hits: numberOf(isDynamic ? report.total_threats : report.successful_attacks),
    trials: numberOf(isDynamic ? job.total : report.total_attacks),
  };
}
