/** Finds names in the policies of a file that neither the documentation nor the tenant has. */
import { didYouMean } from '../../arguments/suggest.ts';
import type { Path } from '../../documents/places.ts';
import type { GuardrailsFile, Remark } from './guardrails.ts';
import { isKnown, memberPlaces, type Word, wordsIn } from './known-names.ts';
import type { Tenant } from './tenant.ts';

export interface UnknownNames {
  /** Protect nothing if they are misspelt. */
  readonly unknown: readonly Remark[];
  /** No documentation lists them; the tenant's own policies have them, or no list of all exists. */
  readonly unverified: readonly Remark[];
}

/** Compares the names of a file with the documented names and those of the tenant's own policies. */
export function unknownNames({ guardrails, undocumented }: GuardrailsFile, { profiles }: Tenant): UnknownNames {
  const policies = profiles.map(({ members }) => members.policy);
  const members = new Set(policies.flatMap((policy) => memberPlaces(policy)));
  const words = policies.flatMap((policy) => wordsIn(policy));
  const own = new Set(words.map(keyOf));
  const unknown: Remark[] = [];
  const unverified: Remark[] = [];
  for (const found of undocumented) {
    if (members.has(placeOf(found.path))) unverified.push(asTenant(found));
    else unknown.push({ ...found, message: `${found.message} is not a documented member.` });
  }
  for (const [at, { policy }] of (guardrails.profiles ?? []).entries()) {
    for (const word of wordsIn(policy).filter((each) => !isKnown(each))) {
      const found = { path: ['profiles', at, 'policy', ...word.path], message: '' };
      const subject = `${found.path.join('.')}: "${word.value}"`;
      if (own.has(keyOf(word))) {
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

const keyOf = ({ place, value }: Word) => `${place}\n${value}`;

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
