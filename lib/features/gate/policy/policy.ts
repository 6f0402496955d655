/** A policy: what a gate accepts, in a file that is reviewed like code. */
import type { Path, Source } from '../../../documents/places.ts';
import type { Severity } from '../finding.ts';

export interface AttackLimit {
  readonly category?: string;
  readonly severity?: Severity;
  readonly max_successful: number;
}

export interface FrameworkLimit {
  readonly max_asr_percent?: number;
  readonly max_successful?: number;
}

export interface RedTeamPolicy {
  readonly max_asr_percent?: number;
  readonly fail_on?: Severity;
  readonly limits?: readonly AttackLimit[];
  readonly frameworks?: Readonly<Record<string, FrameworkLimit>>;
}

export interface ModelPolicy {
  readonly fail_on?: 'blocking' | 'any' | 'none';
  readonly rules?: Readonly<Record<string, 'fail' | 'warn' | 'note'>>;
}

export interface BulkPolicy {
  readonly max_blocked?: number;
  readonly max_blocked_percent?: number;
  readonly detectors?: Readonly<Record<string, number>>;
}

/** A finding that does not fail the gate until it expires. */
export interface Acceptance {
  /** Fingerprint of the finding. */
  readonly finding: string;
  readonly owner: string;
  readonly reason: string;
  /** Last day, in UTC. */
  readonly expires: string;
}

/** The members by their known names; `catalogue/policy.schema.json` describes them. */
export interface Policy {
  readonly redteam?: RedTeamPolicy;
  readonly model?: ModelPolicy;
  readonly bulk?: BulkPolicy;
  readonly accepted?: readonly Acceptance[];
}

/** A policy with the lines of its parts. */
export interface PolicyFile {
  readonly policy: Policy;
  readonly source: Source;
  /** Returns the path of a part as the file spells it. */
  readonly spelled: (path: Path) => Path;
}

/** Where a limit stands. */
export interface LimitPlace {
  /** For messages: `aisec-policy.yml:4, redteam.fail_on`. */
  readonly source: string;
  /** For report files. */
  readonly place: { readonly uri: string; readonly line?: number };
}

export function placeIn({ source: { file, lineOf }, spelled }: PolicyFile, path: Path): LimitPlace {
  const line = lineOf(path);
  const source = `${file}${line === undefined ? '' : `:${line}`}, ${spelled(path).join('.')}`;
  return { source, place: { uri: file, ...(line === undefined ? {} : { line }) } };
}
