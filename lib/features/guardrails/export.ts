/** Reads a tenant, and writes its resources as one guardrails file without secrets. */
import { PermissionError, ResponseError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import { referencesIn } from '../../runtime/topics/topic-references.ts';
import { DLP_KINDS } from './dlp/names.ts';
import { DLP_LISTS } from './dlp/plan-dlp.ts';
import { type DlpTenant, readDlp } from './dlp/read-dlp.ts';
import { comparable, requirePolicy } from './plan.ts';
import { byText, portablePolicy, sortedTexts } from './portable.ts';
import { readTargets } from './targets/targets.ts';
import { named, readTenant, type Tenant, type TenantRecord } from './tenant.ts';

/** Kinds of resources in a file, in order. */
export const PARTS = ['topics', 'profiles', 'dlp', 'targets'] as const;
export type PartName = (typeof PARTS)[number];

export interface Exported {
  /** The content of the file. */
  readonly document: JsonObject;
  /** Number of entries by kind. */
  readonly counts: readonly (readonly [kind: string, count: number])[];
  /** Messages about parts missing from the file. */
  readonly notes: readonly string[];
  readonly simulated: boolean;
}

type WrittenPart = Omit<Exported, 'document'> & { readonly members: JsonObject };

/**
 * Writes a tenant's resources as a file for `aisec apply`. @param parts kinds to write; only these are read @throws
 * ResponseError if a list is incomplete, or a resource lacks required members; ConflictError if two have the same name
 */
export async function exportTenant(run: RunCommand, parts: readonly PartName[]): Promise<Exported> {
  const written: WrittenPart[] = [];
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

/** Adds to an error how to leave the kind out, because a client may lack the permission for its plane. */
function orWithout(failed: PartName, parts: readonly PartName[]) {
  return (thrown: unknown): never => {
    const others = parts.filter((part) => part !== failed);
    if (thrown instanceof PermissionError && others.length > 0) {
      thrown.hint = `${thrown.hint ?? ''} Or leave it out with --only ${others.join(',')}.`.trim();
    }
    throw thrown;
  };
}

async function guardrailsOf(run: RunCommand, parts: readonly PartName[]): Promise<WrittenPart> {
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

async function dlpOf(run: RunCommand): Promise<WrittenPart> {
  const tenant = await readDlp(run);
  const lists = dlpLists(tenant);
  const count = Object.values(lists).reduce((sum, { length }) => sum + length, 0);
  const { notes, simulated } = tenant;
  return { members: { dlp: lists }, counts: [['DLP resources', count]], notes, simulated };
}

async function targetsOf(run: RunCommand): Promise<WrittenPart> {
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

const byName = (one: TenantRecord, other: TenantRecord) => byText(one.name, other.name);

/**
 * Writes the topics.
 * @throws ResponseError for a topic without its content; ConflictError if two topics have the same name
 */
export function topicsPart({ topics }: Tenant): Part {
  const entries = topics.toSorted(byName).map((record) => {
    const { name, members } = record;
    named(topics, name);
    const { description, examples } = members;
    if (typeof description !== 'string' || description === '' || !Array.isArray(examples) || examples.length === 0) {
      throw lacking(record, 'description and examples');
    }
    return { name, description, examples: sortedTexts(examples) };
  });
  return { entries, notes: [] };
}

/**
 * Writes the security profiles.
 * @throws ResponseError for a profile without its policy; ConflictError if two profiles have the same name
 */
export function profilesPart(tenant: Tenant): Part {
  const { topics, profiles } = tenant;
  const notes: string[] = [];
  const entries = profiles.toSorted(byName).map((record): JsonObject => {
    const { name, members } = record;
    named(profiles, name);
    requirePolicy(record);
    if (typeof members['active'] !== 'boolean') throw lacking(record, 'state');
    const { policy = {} } = comparable(members, topics);
    for (const note of notesOn(policy, tenant)) notes.push(`profile ${name} ${note}`);
    return { name, active: members['active'], policy: portablePolicy(policy) };
  });
  return { entries, notes };
}

/** Reports parts of a policy's topics that the file cannot express: revisions, and topics missing from the list. */
function notesOn(policy: JsonObject, { topics }: Tenant): string[] {
  return referencesIn(policy).flatMap(({ topic_id, topic_name, revision }) => {
    const topic = topics.find(({ id }) => id === topic_id);
    if (topic === undefined) return [`refers to the topic ${String(topic_name)}, which the tenant does not list.`];
    if (Number(revision ?? 0) === topic.revision) return [];
    return [`stays at revision ${Number(revision ?? 0)} of topic ${topic.name}; by the file it has the newest one.`];
  });
}

function lacking({ kind, name }: TenantRecord, what: string): ResponseError {
  return new ResponseError(`The service listed the ${kind} ${name} without its ${what}.`, {
    hint: 'Nothing was written, because the file would lose it: try again later.',
  });
}

/** Writes the lists of all kinds. @throws ConflictError if two resources of a kind have the same name */
export function dlpLists({ records }: DlpTenant): Readonly<Record<string, readonly JsonObject[]>> {
  const lists = DLP_KINDS.map((kind) => {
    const own = records.filter((record) => record.kind === kind);
    const sorted = own.toSorted((one, other) => byText(one.name, other.name));
    for (const { name } of sorted) named(own, name);
    return [DLP_LISTS[kind], sorted.map(({ name, members }) => ({ name, ...members }))] as const;
  });
  return Object.fromEntries(lists);
}

/** Entries of one kind, sorted by name. */
interface Part {
  readonly entries: readonly JsonObject[];
  /** Messages about members that the entries leave out. */
  readonly notes: readonly string[];
}
