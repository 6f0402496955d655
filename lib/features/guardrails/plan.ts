/** Plans the changes that bring a tenant to the state in a file. Nothing here sends a request. */

import { ConflictError, type Problem, ResponseError, ValidationError } from '../../core/errors.ts';
import { type JsonObject, objectOf } from '../../core/json.ts';
import type { Path, Source } from '../../core/places.ts';
import { bareDetectors, type Reconciled, reconcile } from '../../runtime/topics/reconcile.ts';
import {
  type KnownTopic,
  type KnownTopics,
  renameTopics,
  resolveTopics,
  topicsIn,
} from '../../runtime/topics/topic-references.ts';
import { planDlp } from './dlp/plan-dlp.ts';
import type { DlpTenant } from './dlp/read-dlp.ts';
import { unknownNames } from './known-names.ts';
import { type MovedTenant, namedDlpProfiles } from './moved-tenant.ts';
import { type GuardrailsFile, problemAt, type Remark } from './read-guardrails.ts';
import type { Guardrails } from './schema.ts';
import { planTargets } from './targets/plan-targets.ts';
import { type Change, type Members, named, type Tenant, type TenantRecord } from './tenant.ts';

export interface Plan {
  /** In the order of execution: DLP resources, topics, profiles, targets, deleted profiles, deleted topics. */
  readonly changes: readonly Change[];
  readonly topics: KnownTopics;
  /** Reason why the changes cannot be made. */
  readonly conflict?: ConflictError;
  readonly notes: readonly string[];
  /** The tenant before the changes. */
  readonly tenant: Tenant;
  /** The tenant's DLP resources, if the file needs them. */
  readonly dlp?: DlpTenant;
}

export interface PlanOptions {
  /** Also delete topics and profiles missing from the file, if it lists their kind. */
  readonly prune: boolean;
  /** Send names that are in neither the documentation nor the tenant. Default: refuse them. */
  readonly allowUnknown?: boolean;
}

/**
 * Plans the changes.
 * @throws ValidationError with the lines of entries that cannot be created; ConflictError for a name that several records of
 * the tenant have
 */
export function planOf(
  file: GuardrailsFile,
  tenant: Tenant,
  { prune, allowUnknown = false }: PlanOptions,
  { dlp, targets }: MovedTenant = {},
): Plan {
  const problems: Problem[] = [];
  const report: Report = (path, message, more = {}) =>
    problems.push(problemAt({ path, message: `${path.join('.')}: ${message}`, ...more }, file.source));
  const stated = file.guardrails.dlp;
  const dlpPlan = stated === undefined || dlp === undefined ? NO_CHANGES : planDlp(stated, dlp, report);
  const { targets: entries = [] } = file.guardrails;
  const targetPlan = targets === undefined ? NO_CHANGES : planTargets(entries, targets);
  const topicChanges = changesOfTopics(file, tenant, report);
  const topics = knownTopics(tenant.topics, topicChanges);
  const profileChanges = changesOfProfiles(file, tenant, topics, report);
  const names = unknownNames(file, tenant);
  const accepted = allowUnknown ? [...names.unverified, ...names.unknown] : names.unverified;
  const refused = allowUnknown ? problems : problems.concat(refusalsOf(names.unknown, file.source));
  if (refused.length > 0) throw new ValidationError(refused);
  const changes = [
    ...dlpPlan.changes,
    ...topicChanges,
    ...profileChanges,
    ...targetPlan.changes,
    ...unlisted(tenant.profiles, file.guardrails.profiles, prune),
    ...unlisted(tenant.topics, file.guardrails.topics, prune),
  ];
  const policies = policiesAfter(changes, tenant);
  const conflict = conflictOf(changes, policies);
  return {
    changes,
    topics,
    tenant,
    ...(dlp === undefined ? {} : { dlp }),
    notes: [
      ...dlpPlan.notes,
      ...targetPlan.notes,
      ...unknownDlp(file.guardrails, dlp),
      ...accepted.map((found) => problemAt(found, file.source).message),
      ...notesOf(changes, policies),
    ],
    ...(conflict === undefined ? {} : { conflict }),
  };
}

/** Reports DLP profiles that a policy names, but that are in neither the file nor the tenant. */
function unknownDlp({ profiles = [], dlp: stated }: Guardrails, dlp: DlpTenant | undefined): string[] {
  if (dlp === undefined) return [];
  const made = new Set(stated?.profiles?.map(({ name }) => name));
  const isKnown = (name: string) => made.has(name) || dlp.names.byName('data profile', name) !== undefined;
  return profiles.flatMap(({ name, policy }) =>
    namedDlpProfiles(policy)
      .filter((each) => !isKnown(each))
      .map((each) => `profile ${name} names the DLP profile ${each}, which the tenant does not list.`),
  );
}

const NO_CHANGES = { changes: [], notes: [] };

/** Reports a problem of an entry; its path begins the message. */
type Report = (path: Path, message: string, more?: { readonly hint?: string }) => void;

function changesOfTopics({ guardrails: { topics = [] } }: GuardrailsFile, tenant: Tenant, report: Report): Change[] {
  return topics.map(({ name, ...stated }, at) => {
    const record = named(tenant.topics, name);
    for (const member of record === undefined ? missingIn(stated) : [])
      report(['topics', at], `the tenant has no topic ${name}, and its entry lacks "${member}".`);
    return changeOf({ kind: 'topic', name, stated, record }, reconcile(stated, record?.members));
  });
}

function changesOfProfiles(
  { guardrails: { profiles = [] } }: GuardrailsFile,
  tenant: Tenant,
  topics: KnownTopics,
  report: Report,
): Change[] {
  return profiles.map(({ name, ...stated }, at) => {
    const record = named(tenant.profiles, name);
    const policyAt = (inside: Path) => ['profiles', at, 'policy', ...inside];
    const wanted = resolvedProfile(stated, topics, (reference, inside) => {
      const message = problemOf(reference, topics, tenant.topics);
      if (message !== undefined) report(policyAt(inside), message);
    });
    const current = record === undefined ? undefined : comparable(record.members, tenant.topics);
    for (const { path: inside, name: lacking } of bareDetectors(wanted.policy, current?.policy)) {
      const message = `the profile ${name} of the tenant has no ${lacking}, and the entry lacks "action".`;
      report(policyAt(inside), message, { hint: 'State an action; an empty text turns it off.' });
    }
    const change = changeOf({ kind: 'profile', name, stated, record }, reconcile(wanted, current));
    if (record !== undefined && (change.verb === 'update' || stated.policy !== undefined)) requirePolicy(record);
    return change;
  });
}

/**
 * Refuses a policy that was not read. An update sends the whole policy, so it would be wiped; in a comparison, every
 * detector would look off.
 * @throws ResponseError
 */
export function requirePolicy({ name, members }: TenantRecord): void {
  if (members.policy?.['ai-security-profiles'] !== undefined) return;
  throw new ResponseError(
    `The service listed the profile ${name} without its policy, which cannot be compared or sent back.`,
    {
      hint: 'Nothing was changed. Try again later; if the profile has no policy, set one with runtime-profiles-update.',
    },
  );
}

/** Adds to the last problem the option that sends unknown names. */
function refusalsOf(unknown: readonly Remark[], source: Source): Problem[] {
  const way = 'Add --allow-unknown to send names that this version does not know.';
  return unknown.map((found, at) => {
    if (at < unknown.length - 1) return problemAt(found, source);
    return problemAt({ ...found, hint: found.hint === undefined ? way : `${found.hint} ${way}` }, source);
  });
}

/** Returns the stated members of a profile with ids and revisions of its topics. */
export function resolvedProfile(
  stated: Members,
  topics: KnownTopics,
  each?: (reference: JsonObject, path: Path) => void,
): Members {
  const { policy } = stated;
  return policy === undefined ? stated : { ...stated, policy: resolveTopics(policy, topics, each) };
}

/** Returns the members of a tenant's profile in the form of a resolved profile. */
export function comparable(members: Members, topics: readonly TenantRecord[]): Members {
  return { ...members, policy: renameTopics(members.policy ?? {}, topics) };
}

function problemOf({ topic_name, revision }: JsonObject, topics: KnownTopics, records: readonly TenantRecord[]) {
  const name = String(topic_name);
  named(records, name);
  const newest = topics.get(name)?.revision;
  if (newest === undefined) return `neither the file nor the tenant has the topic ${name}.`;
  if (revision === undefined || Number(revision) <= newest) return undefined;
  return `the topic ${name} has no revision ${String(revision)}; the newest is ${newest}.`;
}

type Subject = Pick<Change, 'kind' | 'name'> & { stated: Members; record: TenantRecord | undefined };

function changeOf({ kind, name, stated, record }: Subject, { changes: members, value }: Reconciled): Change {
  const change = { kind, name, members, stated, after: objectOf(value) };
  if (record === undefined) return { ...change, verb: 'create' };
  return { ...change, verb: members.length > 0 ? 'update' : 'unchanged', record };
}

function missingIn(stated: Members): string[] {
  return ['description', 'examples'].filter((member) => stated[member] === undefined);
}

function knownTopics(records: readonly TenantRecord[], changes: readonly Change[]): KnownTopics {
  const topics = new Map<string, KnownTopic>();
  for (const { id, name, revision } of records) topics.set(name, { id, revision });
  for (const { name, verb, record } of changes.filter(({ verb }) => verb !== 'unchanged')) {
    topics.set(name, { id: record?.id, revision: verb === 'create' ? 1 : (record?.revision ?? 0) + 1 });
  }
  return topics;
}

function unlisted(
  records: readonly TenantRecord[],
  entries: readonly { readonly name: string }[] | undefined,
  prune: boolean,
): Change[] {
  if (entries === undefined) return [];
  const names = new Set(entries.map(({ name }) => name));
  const verb = prune ? 'delete' : 'unlisted';
  return records
    .filter(({ name }) => !names.has(name))
    .map((record) => ({ kind: record.kind, name: record.name, verb, members: [], record }));
}

interface PolicyAfter {
  readonly profile: string;
  /** The file states the resource. */
  readonly stated: boolean;
  readonly topics: ReadonlyMap<string, number>;
}

/** Lists the policies of the profiles that will exist after the changes. */
function policiesAfter(changes: readonly Change[], { profiles }: Tenant): PolicyAfter[] {
  const own = changes.filter(({ kind, stated }) => kind === 'profile' && stated !== undefined);
  const gone = new Set(changes.filter(({ verb }) => verb === 'delete').map(({ record }) => record));
  const others = profiles.filter((record) => !gone.has(record) && !own.some((change) => change.record === record));
  return [
    ...own.map(({ name, stated, after }) => ({
      profile: name,
      stated: stated?.policy !== undefined,
      topics: topicsIn(after?.policy),
    })),
    ...others.map(({ name, members }) => ({ profile: name, stated: false, topics: topicsIn(members.policy) })),
  ];
}

/** Finds topics that would be deleted although a remaining profile still refers to them. */
function conflictOf(changes: readonly Change[], policies: readonly PolicyAfter[]): ConflictError | undefined {
  const deleted = changes.filter(({ kind, verb }) => kind === 'topic' && verb === 'delete');
  const rows = deleted.flatMap(({ name, record }) =>
    policies.filter(({ topics }) => topics.has(record?.id ?? '')).map(({ profile }) => ({ topic: name, profile })),
  );
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ topic }) => topic))];
  return new ConflictError(`Security profiles refer to topics that are to be deleted: ${names.join(', ')}.`, {
    hint: 'Nothing was changed. Keep the topics in the file, or remove them from the policies of these profiles.',
    rows,
  });
}

/** Writes a note for each profile that keeps the old content of a changed topic. */
function notesOf(changes: readonly Change[], policies: readonly PolicyAfter[]): string[] {
  const updated = changes.filter(({ kind, verb }) => kind === 'topic' && verb === 'update');
  return updated.flatMap(({ name, record }) =>
    policies
      .filter(({ stated, topics }) => !stated && topics.has(record?.id ?? ''))
      .map(({ profile, topics }) => {
        const revision = topics.get(record?.id ?? '') ?? 0;
        return `profile ${profile} stays at revision ${revision} of topic ${name}: state its policy in the file to change that.`;
      }),
  );
}
