/** Reads a policy. */

import { type Problem, ValidationError } from '../../../core/errors.ts';
import { checkDocument } from '../../../documents/check-document.ts';
import { problemIn } from '../../../documents/places.ts';
import { readDocument } from '../../../documents/read-document.ts';
import { CurrentPolicy } from './earlier-names.ts';
import type { Acceptance, Policy, PolicyFile } from './policy.ts';
import { POLICY_SCHEMA } from './schema.ts';

const KIND = {
  noun: 'policy',
  contents: 'A policy holds version: 1, then redteam, model, bulk or accepted.',
  strict: true,
} as const;

/**
 * Reads and checks a policy.
 * @param name file name, for messages
 * @throws ValidationError that lists every problem with its line and column
 */
export async function readPolicy(text: string, name: string): Promise<PolicyFile> {
  const document = await readDocument(text, name, KIND);
  const current = new CurrentPolicy(document.value, document.source);
  const { value, source, warnings } = current;
  if (current.problems.length > 0) throw new ValidationError(current.problems);
  checkDocument({ value, source }, POLICY_SCHEMA);
  // The schema has checked the shape.
  const policy = value as Policy;
  const problems = (policy.accepted ?? []).flatMap((acceptance, at, all): Problem[] => {
    const found = problemOf(acceptance, all.slice(0, at));
    if (found === undefined) return [];
    const path = ['accepted', at, found.member];
    return [problemIn(source, path, `${path.join('.')} ${found.message}`)];
  });
  if (problems.length > 0) throw new ValidationError(problems);
  return { policy, source, spelled: (path) => current.spelled(path), warnings };
}

function problemOf({ finding, expires }: Acceptance, earlier: readonly Acceptance[]) {
  // An unknown day, such as 2027-02-30, would become another one.
  const day = new Date(`${expires}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== expires)
    return { member: 'expires', message: `is no day of the calendar: ${expires}.` };
  if (earlier.some((other) => other.finding === finding))
    return { member: 'finding', message: `is accepted twice: ${finding}.` };
  return undefined;
}
