/** Reads a tenant, and writes what it has as one guardrails file, without secrets. */
import type { JsonObject } from '../../../core/json.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { readTenant } from '../tenant.ts';
import { profilesPart, topicsPart } from './guardrails.ts';
import type { Part } from './part.ts';

/** Kinds of resources that a file has, in its order. */
export const PARTS = ['topics', 'profiles'] as const;
export type PartName = (typeof PARTS)[number];

export interface Exported {
  /** The document of the file. */
  readonly document: JsonObject;
  /** Number of entries by kind. */
  readonly counts: readonly (readonly [kind: string, count: number])[];
  /** What the file lacks. */
  readonly notes: readonly string[];
  readonly simulated: boolean;
}

/**
 * Writes the resources of a tenant as a file that `aisec apply` takes.
 * @param parts kinds to write
 * @throws ResponseError if a list is incomplete, or a resource lacks what makes it; ConflictError if two have one name
 */
export async function exportTenant(run: RunCommand, parts: readonly PartName[]): Promise<Exported> {
  const tenant = await readTenant(run);
  const written: readonly (readonly [PartName, Part])[] = [
    ['topics', topicsPart(tenant)],
    ['profiles', profilesPart(tenant)],
  ];
  const wanted = written.filter(([name]) => parts.includes(name));
  return {
    document: { version: 1, ...Object.fromEntries(wanted.map(([name, { entries }]) => [name, entries])) },
    counts: wanted.map(([name, { entries }]) => [name, entries.length]),
    notes: wanted.flatMap(([, { notes }]) => notes),
    simulated: tenant.simulated,
  };
}
