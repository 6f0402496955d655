/** Says in words why a content has no complete verdict, for hosts whose users see the guard's decisions. */
import type { Cause, Decision, Scanner } from './types.ts';

const WORDS: Readonly<Record<Cause, string>> = {
  authentication: 'the credentials are not accepted, or the certificate of the service is not trusted',
  permission: 'the credentials may not scan',
  profile: 'the security profile cannot be used',
  usage: 'the scan was not accepted as it is',
  quota: 'the quota is used up',
  'rate-limit': 'there are too many requests',
  timeout: 'the scan took too long',
  network: 'the service cannot be reached',
  service: 'the service failed',
  incomplete: 'a detector failed or took too long',
  'unknown-action': 'the service named no action that this version knows',
  malformed: 'the answer of the service has no verdict that this version can read',
  unreadable: 'the content cannot be read as its reader would',
  cancelled: 'the scan was cancelled',
};

/** Returns the words for a cause: part of a sentence. @param profile that cannot be used */
export function causeText(cause: Cause, profile?: string): string {
  return profile === undefined ? WORDS[cause] : `the security profile "${profile.slice(0, 60)}" cannot be used`;
}

/** Returns what a decision rests on, such as `injection, dlp`, or why it has no complete verdict: part of a sentence. */
export function groundsOf({ verdict, unscanned, profile }: Decision): string {
  if (unscanned !== undefined) return `no complete verdict: ${causeText(unscanned, profile)} (${unscanned})`;
  if (verdict === undefined) return 'there is nothing to scan';
  return verdict.detectors.length > 0 ? verdict.detectors.join(', ') : verdict.category;
}

/** A scanner that keeps what decisions do not say: the error of its last failed scan, and who answered. */
export interface RememberingScanner extends Scanner {
  readonly failure: unknown;
  /** The simulated service answered, not a tenant. */
  readonly simulated: boolean;
}

/** Wraps a scanner. */
export function remembering(scanner: Scanner): RememberingScanner {
  const remembered = {
    failure: undefined as unknown,
    simulated: false,
    call: async (...given: Parameters<Scanner['call']>) => {
      try {
        const result = await scanner.call(...given);
        remembered.simulated ||= result.simulated;
        return result;
      } catch (thrown) {
        remembered.failure = thrown;
        throw thrown;
      }
    },
  };
  return remembered;
}
