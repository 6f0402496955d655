/** Plans the changes of DLP resources. Nothing here sends a request, and nothing is ever deleted. */
import { objectOf } from '../../../core/json.ts';
import type { Path } from '../../../core/places.ts';
import { reconcile } from '../../../runtime/topics/reconcile.ts';
import type { Guardrails } from '../schema.ts';
import { type Change, type Members, named } from '../tenant.ts';
import { DLP_KINDS, type DlpKind, type RuleReference, referencesOf } from './names.ts';
import type { DlpTenant } from './read-dlp.ts';

type Dlp = NonNullable<Guardrails['dlp']>;

/** The file's entries of one kind. */
export const DLP_LISTS = {
  dictionary: 'dictionaries',
  pattern: 'patterns',
  'data profile': 'profiles',
  'filtering profile': 'filtering_profiles',
} as const satisfies Readonly<Record<DlpKind, keyof Dlp>>;

/** Members that are required to create a resource. */
const NEEDED: Readonly<Record<DlpKind, readonly string[]>> = {
  dictionary: ['category', 'region_name', 'keywords'],
  pattern: ['type', 'detection_technique'],
  'data profile': ['detection_rules'],
  'filtering profile': [],
};

/** Reports a problem of an entry. */
type Report = (path: Path, message: string) => void;

interface Entry {
  readonly kind: DlpKind;
  readonly name: string;
  readonly stated: Members;
  readonly path: Path;
}

export interface DlpPlan {
  readonly changes: readonly Change[];
  readonly notes: readonly string[];
}

/** Plans the changes in an order in which they can be made. */
export function planDlp(dlp: Dlp, tenant: DlpTenant, report: Report): DlpPlan {
  const entries = entriesOf(dlp);
  const notes: string[] = [];
  for (const entry of entries) checkReferences(entry, entries, tenant, report);
  const changes = inOrder(entries, report).flatMap((entry) => {
    const made = entry.kind === 'filtering profile' && lacksProfile(entry, entries, tenant);
    if (!made) return changeOf(entry, tenant, report);
    const { kind, name } = entry;
    const reason = 'the service makes it with a data profile of this name, which neither the file nor the tenant has';
    notes.push(`${kind} ${name} is skipped: ${reason}.`);
    return { kind, name, verb: 'skipped' as const, members: [], reason };
  });
  return { changes, notes };
}

function entriesOf(dlp: Dlp): readonly Entry[] {
  return DLP_KINDS.flatMap((kind) =>
    (dlp[DLP_LISTS[kind]] ?? []).map(({ name, ...stated }, at) => {
      return { kind, name, stated, path: ['dlp', DLP_LISTS[kind], at] };
    }),
  );
}

function changeOf({ kind, name, stated, path }: Entry, { records, names }: DlpTenant, report: Report): Change {
  const record = named(
    records.filter((each) => each.kind === kind),
    name,
  );
  const known = names.byName(kind, name);
  const missing = known !== undefined || kind === 'filtering profile' ? [] : NEEDED[kind];
  for (const member of missing.filter((each) => stated[each] === undefined)) {
    report(path, `the tenant has no ${kind} ${name}, and its entry lacks "${member}".`);
  }
  if (known !== undefined && record === undefined) {
    report(path, `the ${kind} ${name} of the tenant cannot be changed: it is predefined, managed, or cannot be read.`);
  }
  const { value, changes: members } = reconcile(stated, record?.members);
  const change = { kind, name, members, stated, after: objectOf(value) };
  if (record !== undefined) return { ...change, verb: members.length > 0 ? 'update' : 'unchanged', record };
  // The service creates a filtering profile together with its data profile.
  return { ...change, verb: kind === 'filtering profile' ? 'update' : 'create' };
}

function lacksProfile({ name }: Entry, entries: readonly Entry[], { names }: DlpTenant): boolean {
  const isMade = entries.some((entry) => entry.kind === 'data profile' && entry.name === name);
  return !isMade && names.byName('filtering profile', name) === undefined;
}

/** Reports names that are in neither the file nor the tenant. */
function checkReferences({ stated, path }: Entry, entries: readonly Entry[], { names }: DlpTenant, report: Report) {
  for (const { kind, name } of referencesIn(stated)) {
    const isMade = entries.some((entry) => entry.kind === kind && entry.name === name);
    if (!isMade && names.byName(kind, name) === undefined) {
      report(path, `neither the file nor the tenant has the ${kind} ${name}.`);
    }
  }
}

function referencesIn({ detection_rules, data_profile }: Members): readonly RuleReference[] {
  const profile = typeof data_profile === 'string' ? [{ kind: 'data profile', name: data_profile } as const] : [];
  return [...referencesOf(detection_rules), ...profile];
}

/** Orders data profiles after the profiles that they combine. */
function inOrder(entries: readonly Entry[], report: Report): readonly Entry[] {
  const ordered = new Set<Entry>();
  const visit = (entry: Entry, around: readonly Entry[]): void => {
    if (ordered.has(entry)) return;
    if (around.includes(entry)) {
      report(entry.path, `the data profile ${entry.name} combines itself.`);
      return;
    }
    for (const { kind, name } of referencesOf(entry.stated['detection_rules'])) {
      const needed = entries.find((each) => each.kind === kind && each.name === name);
      if (needed !== undefined) visit(needed, [...around, entry]);
    }
    ordered.add(entry);
  };
  for (const entry of entries) visit(entry, []);
  return [...ordered];
}
