/** What a gate decides, before it is written as an exit code, SARIF or JUnit. */
import { nameOf, UNSEEN_IN_TEXT, wellFormed } from '../redaction/characters.ts';

export type Severity = 'critical' | 'high' | 'medium' | 'low';

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

/** Something that speaks against passing. */
export interface Finding {
  /** Stable over runs: a reader's suppressions hang on it. */
  readonly rule: string;
  readonly ruleText: string;
  readonly severity: Severity;
  readonly message: string;
  /** What it is about: a file of a model, a line of a bulk scan. */
  readonly place: { readonly uri: string; readonly line?: number };
}

export interface Verdict {
  /** Such as `model 5f0c...`. */
  readonly subject: string;
  readonly failed: boolean;
  /** Why there is no verdict that could be trusted. It is never a pass. */
  readonly unfinished?: string;
  /** One sentence for people. */
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** The simulated service gave the verdicts that were read, not a tenant. */
  readonly simulated?: boolean;
}

/** A rule's id out of a name: `Load Time Code Execution` becomes `aisec/model/load-time-code-execution`. */
export function ruleId(family: string, name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `aisec/${family}/${words === '' ? 'unnamed' : words.slice(0, 80)}`;
}

/** Text that every reader of a report file takes and shows as it is: what would not be seen in it has its name. */
export function plainText(text: string): string {
  return wellFormed(text).replace(UNSEEN_IN_TEXT, nameOf);
}
