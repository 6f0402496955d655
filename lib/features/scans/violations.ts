/** Violations of a model scan, and what the service recommends against them. */
import { anyOf, list, object, stringOf, textsOf } from '../../core/received.ts';
import { spelledOut } from '../../core/redaction/characters.ts';

/** Recommendation from the service. */
export interface Remediation {
  readonly steps: readonly string[];
  /** An https address. */
  readonly url?: string;
}

const MAX_STEPS = 10;
const MAX_STEP_LENGTH = 1024;
const MAX_ADDRESS_LENGTH = 1000;

const readRemediation = object({ steps: textsOf, url: anyOf });

export function remediationOf(value: unknown): Remediation | undefined {
  const { steps: sent, url: address } = readRemediation(value);
  const steps = distinctSteps(
    sent.map((step) => spelledOut(step.replace(/\s+/g, ' ').trim()).slice(0, MAX_STEP_LENGTH)),
  );
  const url = httpsAddress(address);
  if (steps.length === 0 && url === undefined) return undefined;
  return { steps, ...(url === undefined ? {} : { url }) };
}

/** Returns the first steps, each once. */
export function distinctSteps(steps: readonly string[]): string[] {
  return [...new Set(steps)].filter((step) => step !== '').slice(0, MAX_STEPS);
}

/** Returns a normalized web address; undefined for any other scheme, for credentials, and for invisible characters. */
function httpsAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS_LENGTH || !/^https:\/\/[!-~]+$/i.test(value)) {
    return undefined;
  }
  try {
    const { href, username, password } = new URL(value);
    return username === '' && password === '' && href.length <= MAX_ADDRESS_LENGTH ? href : undefined;
  } catch {
    return undefined;
  }
}

/** Reads violations as the service sent them. */
export const readViolations = list({
  uuid: anyOf,
  rule_name: stringOf,
  rule_description: stringOf,
  rule_instance_state: stringOf,
  rule_instance_uuid: anyOf,
  description: anyOf,
  threat_description: anyOf,
  threat: anyOf,
  file: stringOf,
  remediation: remediationOf,
});

export type Violation = ReturnType<typeof readViolations>[number];
