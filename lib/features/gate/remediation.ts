/** Reads what the service recommends against a finding. Its text is data, and its address may be hostile. */
import { isObject, objectOf } from '../../engine/json.ts';
import { plainText, type Remediation } from './finding.ts';

const MOST_STEPS = 10;
const LONGEST_STEP = 1024;
const LONGEST_ADDRESS = 1000;

/** Reads a remediation. @returns undefined if it recommends nothing */
export function remediationOf(value: unknown): Remediation | undefined {
  if (!isObject(value)) return undefined;
  const { steps: list, url: address } = objectOf(value);
  const texts = Array.isArray(list) ? list.filter((step): step is string => typeof step === 'string') : [];
  const steps = distinctSteps(texts.map((step) => plainText(step.replace(/\s+/g, ' ').trim()).slice(0, LONGEST_STEP)));
  const url = httpsAddress(address);
  if (steps.length === 0 && url === undefined) return undefined;
  return { steps, ...(url === undefined ? {} : { url }) };
}

/** Returns the first steps, each once. */
export function distinctSteps(steps: readonly string[]): string[] {
  return [...new Set(steps)].filter((step) => step !== '').slice(0, MOST_STEPS);
}

/** Returns an address in its normal form; undefined for any other scheme, for credentials, and for invisible characters. */
function httpsAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS || !/^https:\/\/[!-~]+$/i.test(value)) {
    return undefined;
  }
  try {
    const { href, username, password } = new URL(value);
    return username === '' && password === '' && href.length <= LONGEST_ADDRESS ? href : undefined;
  } catch {
    return undefined;
  }
}
