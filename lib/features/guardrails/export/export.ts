/** Reads a tenant, and writes what it has as one guardrails file, without secrets. */
import { PermissionError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { readDlp } from '../dlp/read-dlp.ts';
import { byText } from '../portable.ts';
import { readTargets } from '../targets/read-targets.ts';
import { named, readTenant } from '../tenant.ts';
import { dlpLists } from './dlp.ts';
import { profilesPart, topicsPart } from './guardrails.ts';

/** Kinds of resources that a file has, in its order. */
export const PARTS = ['topics', 'profiles', 'dlp', 'targets'] as const;
export type PartName = (typeof PARTS)[number];

export interface Exported {
  /** The document of the file. */
  readonly document: JsonObject;
  /** Number of entries by kind. */
  readonly counts: readonly (readonly [kind: string, count: number])[];
  /** Messages about parts missing from the file. */
  readonly notes: readonly string[];
  readonly simulated: boolean;
}

type Part = Omit<Exported, 'document'> & { readonly members: JsonObject };

/**
 * Writes the resources of a tenant as a file that `aisec apply` takes.
 * @param parts kinds to write; nothing else is read
 * @throws ResponseError if a list is incomplete, or a resource lacks what makes it; ConflictError if two have one name
 */
export async function exportTenant(run: RunCommand, parts: readonly PartName[]): Promise<Exported> {
  const written: Part[] = [];
  if (parts.includes('topics') || parts.includes('profiles')) written.push(await guardrailsOf(run, parts));
  if (parts.includes('dlp')) written.push(await dlpOf(run).catch(orWithout('dlp', parts)));
  if (parts.includes('targets')) written.push(await targetsOf(run).catch(orWithout('targets', parts)));
  const members = Object.fromEntries(written.flatMap((part) => Object.entries(part.members)));
  return {
    document: { version: 1, ...members },
    counts: written.flatMap(({ counts }) => counts),
    notes: written.flatMap(({ notes }) => notes),
    simulated: written.some(({ simulated }) => simulated),
  };
}

/** Adds to an error how to leave the kind out: a client may lack the permission for its plane. */
function orWithout(failed: PartName, parts: readonly PartName[]) {
  return (thrown: unknown): never => {
    const others = parts.filter((part) => part !== failed);
    if (thrown instanceof PermissionError && others.length > 0) {
      thrown.hint = `${thrown.hint ?? ''} Or leave it out with --only ${others.join(',')}.`.trim();
    }
    throw thrown;
  };
}

async function guardrailsOf(run: RunCommand, parts: readonly PartName[]): Promise<Part> {
  const tenant = await readTenant(run);
  const topics = parts.includes('topics') ? [['topics', topicsPart(tenant)] as const] : [];
  const profiles = parts.includes('profiles') ? [['profiles', profilesPart(tenant)] as const] : [];
  const all = [...topics, ...profiles];
  return {
    members: Object.fromEntries(all.map(([name, { entries }]) => [name, entries])),
    counts: all.map(([name, { entries }]) => [name, entries.length]),
    notes: all.flatMap(([, { notes }]) => notes),
    simulated: tenant.simulated,
  };
}

async function dlpOf(run: RunCommand): Promise<Part> {
  const tenant = await readDlp(run);
  const lists = dlpLists(tenant);
  const count = Object.values(lists).reduce((sum, { length }) => sum + length, 0);
  const { notes, simulated } = tenant;
  return { members: { dlp: lists }, counts: [['DLP resources', count]], notes, simulated };
}

async function targetsOf(run: RunCommand): Promise<Part> {
  const { records, simulated } = await readTargets(run);
  const sorted = records.toSorted((one, other) => byText(one.name, other.name));
  const targets = sorted.map(({ name, members, needs }) => {
    named(records, name);
    return { name, ...members, ...(needs.length === 0 ? {} : { needs: needs.toSorted(byText) }) };
  });
  const notes = sorted.flatMap(({ name, needs }) =>
    needs.length === 0 ? [] : [`target ${name} needs ${needs.join(', ')}, which the file does not have.`],
  );
  return { members: { targets }, counts: [['targets', targets.length]], notes, simulated };
}
