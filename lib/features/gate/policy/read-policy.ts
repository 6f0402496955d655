/** Reads a policy. */

import { type Problem, ValidationError } from '../../../core/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { type Path, problemIn, type Source } from '../../../core/places.ts';
import { checkDocument } from '../../../node/documents/check-document.ts';
import { readDocument } from '../../../node/documents/read-document.ts';
import {
  type Acceptance,
  CATEGORIES,
  FRAMEWORKS,
  knownName,
  POLICY_SCHEMA,
  type Policy,
  type PolicyFile,
} from './policy.ts';

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
  const spelled = spellingIn(document.value, document.source);
  const { lineOf, columnOf } = document.source;
  const source = {
    ...document.source,
    lineOf: (path: Path) => lineOf(spelled(path)),
    columnOf: (path: Path) => columnOf(spelled(path)),
  };
  const value = withKnownNames(document.value);
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
  return { policy, source, spelled };
}

const frameworkOf = (name: string) => knownName(name, FRAMEWORKS) ?? name;

/**
 * Returns a function that turns a path with known names into the path as the file spells it.
 * @throws ValidationError if the file spells a framework in two ways
 */
function spellingIn({ redteam }: JsonObject, file: Source): PolicyFile['spelled'] {
  const names = Object.keys(objectOf(objectOf(redteam)['frameworks']));
  const isAgain = (name: string, known = frameworkOf(name)) =>
    name !== known && (names.includes(known) || names.find((other) => frameworkOf(other) === known) !== name);
  const problems = names
    .filter((name) => isAgain(name))
    .map((name) => {
      const path = ['redteam', 'frameworks', name];
      return problemIn(file, path, `${path.join('.')} is the same as ${frameworkOf(name)}: keep one of the two.`);
    });
  if (problems.length > 0) throw new ValidationError(problems);
  const spellings = new Map<unknown, string>(names.map((name) => [frameworkOf(name), name]));
  return (path) => (path[1] === 'frameworks' ? path.map((key) => spellings.get(key) ?? key) : path);
}

/** Renames frameworks and categories to the service's names. */
function withKnownNames(document: JsonObject): JsonObject {
  const { redteam } = document;
  if (!isObject(redteam)) return document;
  const { frameworks, limits } = redteam;
  const known = {
    ...(isObject(frameworks)
      ? {
          frameworks: Object.fromEntries(Object.entries(frameworks).map(([name, limit]) => [frameworkOf(name), limit])),
        }
      : {}),
    ...(Array.isArray(limits) ? { limits: limits.map(withCategory) } : {}),
  };
  return { ...document, redteam: { ...redteam, ...known } };
}

function withCategory(limit: unknown): unknown {
  if (!isObject(limit) || typeof limit['category'] !== 'string') return limit;
  return { ...limit, category: knownName(limit['category'], CATEGORIES) ?? limit['category'] };
}

function problemOf({ finding, expires }: Acceptance, earlier: readonly Acceptance[]) {
  // `Date` would turn a day that does not exist, such as 2027-02-30, into another day.
  const day = new Date(`${expires}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== expires)
    return { member: 'expires', message: `is not a calendar date: ${expires}.` };
  if (earlier.some((other) => other.finding === finding))
    return { member: 'finding', message: `is accepted twice: ${finding}.` };
  return undefined;
}
