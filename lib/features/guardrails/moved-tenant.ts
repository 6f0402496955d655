/** Reads what a tenant has beside topics and profiles, as far as a file needs it. */

import { AisecError, CancelledError } from '../../core/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import type { RunCommand } from '../../runtime/engine/run-command.ts';
import type { DlpNames } from './dlp/names.ts';
import { type DlpTenant, readDlp, readDlpNames } from './dlp/read-dlp.ts';
import type { Guardrails } from './schema.ts';
import { readTargets, type TargetTenant } from './targets/targets.ts';

/** Resources of a tenant beside topics and profiles, as far as the file needs them. */
export interface MovedTenant {
  readonly dlp?: DlpTenant | undefined;
  readonly targets?: TargetTenant | undefined;
}

/** @param note says what cannot be read, and is not needed */
export async function readMoved(
  guardrails: Guardrails,
  run: RunCommand,
  note?: (text: string) => void,
): Promise<MovedTenant> {
  const dlp = await readNeededDlp(guardrails, run, note);
  const targets = guardrails.targets === undefined ? undefined : await readTargets(run);
  return { dlp, targets };
}

/** Member that names a DLP profile, by the list whose entries are references. */
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

/** Adds the ids and versions that references lack; names that the tenant does not have stay names. */
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
 * Reads what a file needs of the DLP resources of a tenant: all of them, the names of data profiles, or nothing.
 * @param note says that names are sent without ids, because they cannot be read
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
    note(`DLP profiles are sent by their names alone, because they cannot be read: ${thrown.message}`);
    return undefined;
  }
}
