/** Ids of DLP resources by name: a file holds names, and each tenant has its own ids. */

import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import type { MovedKind } from '../tenant.ts';

/** A resource of the tenant or of the service itself. */
export interface Known {
  readonly id: string;
  readonly name: string;
  /** Version of a pattern or a data profile, which references may contain. */
  readonly version?: number;
  /** The tenant cannot change the resource: it is predefined, or a parent tenant manages it. */
  readonly fixed: boolean;
}

/** Resources by kind; created resources are added. */
export class DlpNames {
  private readonly known = new Map<MovedKind, readonly Known[]>();

  add(kind: MovedKind, found: readonly Known[]): void {
    this.known.set(kind, [...this.all(kind), ...found]);
  }

  all(kind: MovedKind): readonly Known[] {
    return this.known.get(kind) ?? [];
  }

  byId(kind: MovedKind, id: string): Known | undefined {
    return this.all(kind).find((each) => each.id === id);
  }

  byName(kind: MovedKind, name: string): Known | undefined {
    return this.all(kind).find((each) => each.name === name);
  }
}

/** Kinds in the order of creation: later kinds refer to earlier kinds. */
export const DLP_KINDS = ['dictionary', 'pattern', 'data profile', 'filtering profile'] as const;
export type DlpKind = (typeof DLP_KINDS)[number];

/** A resource that a rule refers to. */
export interface RuleReference {
  readonly kind: MovedKind;
  readonly name: string;
}

type Change = (member: string, value: JsonObject) => JsonObject;

/** Applies a change to each item and each combination of profiles, at any depth. */
function mapParts(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => mapParts(entry, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => {
      const isPart = (member === 'rule_item' || member === 'multi_profile') && isObject(inner);
      return [member, isPart ? change(member, inner) : mapParts(inner, change)];
    }),
  );
}

function kindOf({ detection_technique }: JsonObject): MovedKind {
  return detection_technique === 'dictionary' ? 'dictionary' : 'pattern';
}

/**
 * Writes rules with names instead of ids.
 * @param lost receives each id that is in none of the tenant's lists: such rules cannot be moved
 */
export function namedRules(rules: unknown, names: DlpNames, lost: (what: string) => void): unknown {
  const nameOf = (kind: MovedKind, id: unknown) => {
    const name = names.byId(kind, String(id))?.name;
    if (name === undefined) lost(`${kind} ${String(id)}`);
    return name;
  };
  return mapParts(rules, (member, value) => {
    if (member === 'rule_item') {
      const { id, version, name, ...rest } = value;
      return { ...rest, name: id === undefined || id === null ? name : nameOf(kindOf(value), id) };
    }
    const { data_profile_ids: ids, ...rest } = value;
    const profiles = Array.isArray(ids) ? ids.map((id: unknown) => nameOf('data profile', id)) : [];
    return { ...rest, data_profiles: profiles };
  });
}

/** Lists the resources that a file's rules refer to. */
export function referencesOf(rules: unknown): readonly RuleReference[] {
  const found: RuleReference[] = [];
  mapParts(rules, (member, value) => {
    const own = member === 'rule_item' ? namesIn(kindOf(value), [value['name']]) : profilesIn(value);
    for (const reference of own) found.push(reference);
    return value;
  });
  return found;
}

const profilesIn = ({ data_profiles: names }: JsonObject) =>
  namesIn('data profile', Array.isArray(names) ? (names as readonly unknown[]) : []);

function namesIn(kind: MovedKind, names: readonly unknown[]): RuleReference[] {
  return names.flatMap((name) => (typeof name === 'string' ? [{ kind, name }] : []));
}

/** Writes rules as the service expects them: with the ids of this tenant. */
export function sentRules(rules: unknown, names: DlpNames): unknown {
  return mapParts(rules, (member, value) => {
    if (member === 'rule_item') {
      const known = names.byName(kindOf(value), String(value['name']));
      const { id, version } = objectOf(known);
      return { ...value, ...(known === undefined ? {} : { id }), ...(version === undefined ? {} : { version }) };
    }
    const { data_profiles, ...rest } = value;
    const ids = profilesIn(value).map(({ name }) => Number(names.byName('data profile', name)?.id));
    return { ...rest, data_profile_ids: ids };
  });
}
