/** Reads a tenant's resources other than topics and profiles, if the file needs them. */

import { AisecError, CancelledError } from '../../core/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import type { DlpNames } from './dlp/names.ts';
import { type DlpTenant, readDlp, readDlpNames } from './dlp/read-dlp.ts';
import type { Guardrails } from './schema.ts';
import { readTargets, type TargetTenant } from './targets/targets.ts';

/** The tenant's resources other than topics and profiles, if the file needs them. */
export interface MovedTenant {
  readonly dlp?: DlpTenant | undefined;
  readonly targets?: TargetTenant | undefined;
}

/** @param note reports resources that cannot be read but are not required */
export async function readMoved(
  guardrails: Guardrails,
  run: RunCommand,
  note?: (text: string) => void,
): Promise<MovedTenant> {
  const dlp = await readNeededDlp(guardrails, run, note);
  const targets = guardrails.targets === undefined ? undefined : await readTargets(run);
  return { dlp, targets };
}

/** The member that names a DLP profile, by the list whose entries are references. */
const NAMED_BY: Readonly<Record<string, string>> = { member: 'text', 'dlp-data-profiles': 'name' };

type DlpReferenceChange = (reference: JsonObject, name: string, list: string) => JsonObject;

function mapDlpReferences(value: unknown, change: DlpReferenceChange, list = ''): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => mapDlpReferences(entry, change, list));
  if (!isObject(value)) return value;
  const name = Object.hasOwn(NAMED_BY, list) ? value[NAMED_BY[list] ?? ''] : undefined;
  if (typeof name === 'string') return change(value, name, list);
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [
      member,
      mapDlpReferences(inner, change, Array.isArray(inner) ? member : ''),
    ]),
  );
}

/** Adds the ids and versions that references lack; names unknown to the tenant stay names. */
export function withDlpIds(policy: JsonObject, names: DlpNames | undefined): JsonObject {
  if (names === undefined) return policy;
  const completed = mapDlpReferences(policy, (reference, name, list) => {
    const known = names.byName('data profile', name);
    if (known === undefined || (reference['id'] ?? '') !== '') return reference;
    const version = known.version === undefined ? {} : { version: String(known.version) };
    return { ...reference, ...(list === 'member' ? {} : { uuid: known.id }), id: known.id, ...version };
  });
  return objectOf(completed);
}

/** Lists the DLP profiles that a policy names without an id. */
export function namedDlpProfiles(policy: unknown): readonly string[] {
  const found = new Set<string>();
  mapDlpReferences(policy, (reference, name) => {
    if ((reference['id'] ?? '') === '') found.add(name);
    return reference;
  });
  return [...found];
}

/**
 * Reads the DLP resources of a tenant that a file needs: all, only the data profile names, or none. @param note reports
 * that names are sent without ids, because the ids cannot be read
 */
async function readNeededDlp(
  { dlp, profiles = [] }: Guardrails,
  run: RunCommand,
  note: (text: string) => void = () => undefined,
): Promise<DlpTenant | undefined> {
  if (dlp !== undefined) return readDlp(run);
  if (profiles.every(({ policy }) => namedDlpProfiles(policy).length === 0)) return undefined;
  try {
    return await readDlpNames(run);
  } catch (thrown) {
    if (!(thrown instanceof AisecError) || thrown instanceof CancelledError) throw thrown;
    note(`DLP profiles are sent by name only, because they cannot be read: ${thrown.message}`);
    return undefined;
  }
}
