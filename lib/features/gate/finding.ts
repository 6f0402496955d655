/** A finding: one problem that a gate has seen. */
import { createHash } from 'node:crypto';
import type { Remediation } from '../scans/violations.ts';

export type Severity = 'critical' | 'high' | 'medium' | 'low';

/** From the worst. */
export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

/** Comparison with a baseline: the finding is in this scan only, in both, or in the baseline only. */
export type BaselineState = 'new' | 'unchanged' | 'absent';

/** A file, or a line of it. */
export interface Place {
  readonly uri: string;
  readonly line?: number;
}

/** Strings that describe a check, and may repeat each other. */
interface Explained {
  readonly texts: readonly string[];
  /** Such as `PAIT-PKL-100`. */
  readonly check: string;
}

export interface Finding {
  /** Identifies the finding across runs, for policies and code scanning: 16 hexadecimal digits. */
  readonly fingerprint: string;
  /** Identifier of the rule, stable across runs. */
  readonly rule: string;
  /** Human-readable name of the rule, such as `Indirect prompt injection`. */
  readonly title: string;
  readonly ruleText: string;
  readonly severity: Severity;
  /** The service sent no known severity, so the worst is assumed. */
  readonly hasNoSeverity?: boolean;
  readonly message: string;
  /** The reason in the service's words. Only a screen shows it: the message contains all of it. */
  readonly explained?: Explained;
  /** The prompt or goal. Only a screen shows it: reports are shared more widely. */
  readonly excerpt?: string;
  /** Names by which a policy can limit the finding, such as category and sub-category. */
  readonly labels: readonly string[];
  readonly place: Place;
  readonly remediation?: Remediation;
  /** Absent without a baseline. */
  readonly baselineState?: BaselineState;
}

/** Derives a fingerprint from values that stay the same across runs. */
export function fingerprintOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Reports whether a finding has at least this severity. */
export function isAtLeast(least: Severity): (finding: Pick<Finding, 'severity'>) => boolean {
  return ({ severity }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);
}

/** Derives a rule id from a name: `Load Time Code Execution` becomes `aisec/model/load-time-code-execution`. */
export function ruleId(family: string, name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `aisec/${family}/${words === '' ? 'unnamed' : words.slice(0, 80)}`;
}

/** Writes a location in the form that editors open: `prompts.csv:7`. */
export function placeText({ uri, line }: Place): string {
  return line === undefined ? uri : `${uri}:${line}`;
}

/** Joins the given sentences, skipping undefined ones. @returns undefined if there is no sentence */
export function sentencesOf(...sentences: readonly (string | undefined)[]): string | undefined {
  const known = sentences.filter((sentence) => sentence !== undefined);
  return known.length === 0 ? undefined : known.join(' ');
}
