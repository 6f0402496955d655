/** What the guard decides about a content, and why. */

export type ContentKind = 'input' | 'output' | 'tool';

/** Why content has no complete verdict. `decisions.ts` says which causes may let content pass, `cause-words.ts` words them. */
export type Cause =
  | 'authentication'
  | 'permission'
  | 'profile'
  | 'usage'
  | 'quota'
  | 'rate-limit'
  | 'timeout'
  | 'network'
  | 'service'
  | 'incomplete'
  | 'unknown-action'
  | 'malformed'
  | 'unreadable'
  | 'cancelled';

/** Findings of the service, without any text of the content. */
export interface Verdict {
  readonly action: string;
  readonly category: string;
  readonly profile: string;
  /** Names of the detectors that fired, such as `injection`. */
  readonly detectors: readonly string[];
}

export interface Decision {
  readonly kind: ContentKind;
  readonly action: 'allow' | 'block' | 'mask';
  /** The masked text; set only for `mask`. A decision never holds blocked text. */
  readonly text?: string;
  readonly verdict?: Verdict;
  /** Set if there is no complete verdict: the action follows the options, not the service. */
  readonly unscanned?: Cause;
  /** The security profile, as the options name it; set if it cannot be used. */
  readonly profile?: string;
  readonly scanId?: string;
  readonly reportId?: string;
  /** Duration of the scan, in milliseconds. */
  readonly ms: number;
  /** Whether the verdict comes from an earlier scan of the same content. */
  readonly cached: boolean;
}
