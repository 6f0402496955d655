/**
 * The names that a policy may use: detectors, actions and kinds. A name that the service does not know protects nothing.
 * Sources: `docs/wire.md`, and the policies of the tenant.
 */

import { asText, isObject } from '../../core/json.ts';
import type { Path } from '../../core/places.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import { keyOf } from '../../runtime/topics/reconcile.ts';
import type { GuardrailsFile, Remark } from './read-guardrails.ts';
import type { Tenant } from './tenant.ts';

/** Names that are allowed at one place. */
interface Names {
  readonly what: string;
  readonly known: readonly string[];
  /** Accepts further values. */
  readonly pattern?: RegExp;
  /** Format of other allowed values, for messages. */
  readonly form?: string;
  /** No source lists all of these names, so an unknown name is only noted. */
  readonly open?: true;
}

export interface Word {
  readonly path: Path;
  /** The same string for a member in any entry, so that two policies can be compared. */
  readonly place: string;
  readonly value: string;
  readonly names: Names;
}

/** An empty string turns a detector off. */
const ACTION: Names = { what: 'action', known: ['block', 'alert', 'allow', ''] };
const BY_CONFIDENCE: Names = {
  ...ACTION,
  pattern: /^(?:high|moderate):(?:block|alert|allow)(?:, *(?:high|moderate):(?:block|alert|allow))*$/,
  form: '"high:block, moderate:allow"',
};
const GROUP_ACTION: Names = { what: 'action', known: ['block', 'allow'] };
const YES_NO: Names = { what: 'choice', known: ['yes', 'no'] };
const URL_CATEGORY: Names = { what: 'URL category', known: [], open: true };

const DETECTORS: Readonly<Record<string, readonly string[]>> = {
  'model-protection': ['prompt-injection', 'toxic-content', 'topic-guardrails', 'contextual-grounding'],
  'agent-protection': ['agent-security'],
  'malicious-code-protection': ['malicious-code'],
  'database-security': [
    'database-security-create',
    'database-security-read',
    'database-security-update',
    'database-security-delete',
  ],
};

const MEMBERS: Readonly<Record<string, Names>> = {
  'model-type': { what: 'type of model', known: ['default'] },
  'content-type': { what: 'type of content', known: [], open: true },
  action: ACTION,
  'url-detected-action': ACTION,
  'inline-timeout-action': ACTION,
  'non-file-based': YES_NO,
  'file-based': YES_NO,
};

const TOXIC_CATEGORIES: Names = {
  what: 'category',
  known: [
    'hate',
    'sexual-content',
    'cybercrime',
    'self-harm',
    'violent-crime',
    'indiscriminate-weapon',
    'controlled-substance',
    'other-nonviolent-crime',
  ],
};

/** Lists the names of a policy, in its order. */
export function wordsIn(policy: unknown): readonly Word[] {
  return words(policy, { path: [], members: [], owner: undefined });
}

interface Place {
  readonly path: Path;
  /** The path without the positions in lists. */
  readonly members: readonly string[];
  /** Name of the detector that contains it. */
  readonly owner: string | undefined;
}

function words(value: unknown, place: Place): readonly Word[] {
  const { path, members } = place;
  if (Array.isArray(value))
    return value.flatMap((entry: unknown, at) => words(entry, { ...place, path: [...path, at] }));
  if (isObject(value)) {
    const owner = keyOf(value, 'name') ?? place.owner;
    return Object.entries(value).flatMap(([name, member]) =>
      words(member, { path: [...path, name], members: [...members, name], owner }),
    );
  }
  const names = value === undefined || value === null ? undefined : namesAt(place);
  return names === undefined ? [] : [{ path, place: keyAt(place, names), value: asText(value), names }];
}

/** Actions differ between detectors. */
function keyAt({ members, owner }: Place, { what }: Names): string {
  return `${members.join('.')}${what === 'action' && owner !== undefined ? `(${owner})` : ''}`;
}

function namesAt({ members, owner }: Place): Names | undefined {
  const [around = '', name = ''] = [members.at(-2), members.at(-1)];
  if (name === 'member' && around.endsWith('-url-category')) return URL_CATEGORY;
  if (name === 'category' && around === 'toxic-category-list') return TOXIC_CATEGORIES;
  if (name === 'name' && Object.hasOwn(DETECTORS, around)) return { what: 'detector', known: DETECTORS[around] ?? [] };
  if (name === 'action' && around === 'topic-list') return GROUP_ACTION;
  if (name === 'action' && owner === 'toxic-content') return BY_CONFIDENCE;
  return Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
}

/** Reports whether this value is among the names allowed at the place. */
export function isKnown({ value, names: { known, pattern } }: Word): boolean {
  return known.includes(value) || pattern?.test(value) === true;
}

/** Lists the places of all members of a policy, without the positions in lists. */
function memberPlaces(value: unknown, members: readonly string[] = []): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => memberPlaces(entry, members));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = [...members, name];
    return [place.join('.'), ...memberPlaces(member, place)];
  });
}

/** Compares the names of a file with the documented names and the names in the tenant's own policies. */
export function unknownNames({ guardrails, undocumented }: GuardrailsFile, { profiles }: Tenant) {
  const policies = profiles.map(({ members }) => members.policy);
  const members = new Set(policies.flatMap((policy) => memberPlaces(policy)));
  const words = policies.flatMap((policy) => wordsIn(policy));
  const own = new Set(words.map(wordKey));
  /** Names that protect nothing if misspelt. */
  const unknown: Remark[] = [];
  /** Names that are not documented; the tenant's own policies use them, or no complete list exists. */
  const unverified: Remark[] = [];
  for (const found of undocumented) {
    if (members.has(placeOf(found.path))) unverified.push(asTenant(found));
    else unknown.push({ ...found, message: `${found.message} is not a documented member.` });
  }
  for (const [at, { policy }] of (guardrails.profiles ?? []).entries()) {
    for (const word of wordsIn(policy).filter((each) => !isKnown(each))) {
      const found = { path: ['profiles', at, 'policy', ...word.path], message: '' };
      const subject = `${found.path.join('.')}: "${word.value}"`;
      if (own.has(wordKey(word))) {
        if (word.names.open !== true) unverified.push(asTenant({ ...found, message: subject }));
        continue;
      }
      const message = `${subject} is not a known ${word.names.what}.`;
      if (word.names.open === true) unverified.push({ ...found, message: `${message} It cannot be checked.` });
      else unknown.push({ ...found, message, hint: hintFor(word, words) });
    }
  }
  return { unknown, unverified };
}

const asTenant = (found: Remark): Remark => ({
  ...found,
  message: `${found.message} is not documented; only the tenant's own profiles have it.`,
});

const wordKey = ({ place, value }: Word) => `${place}\n${value}`;

/** Drops `profiles`, the position of the profile and `policy`, and all positions in lists. */
const placeOf = (path: Path) =>
  path
    .slice(3)
    .filter((key) => typeof key === 'string')
    .join('.');

function hintFor({ value, place, names: { known, form } }: Word, words: readonly Word[]): string {
  const own = words.filter((word) => word.place === place).map((word) => word.value);
  const all = [...new Set([...known, ...own])].filter((name) => name !== '');
  const choices = [all.join(', '), ...(form === undefined ? [] : [form])].join(', or as ');
  const list = `It may be: ${choices}.`;
  const suggestion = didYouMean(value, all);
  return suggestion === undefined ? list : `${suggestion} ${list}`;
}
