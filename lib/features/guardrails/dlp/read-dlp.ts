/** Reads the DLP resources of a tenant in the form of a file. */
import { NotFoundError, ResponseError } from '../../../core/errors.ts';
import { type JsonObject, objectOf } from '../../../core/json.ts';
import { anyOf, flagOf, list, numberOf, object, textOf, textsOf } from '../../../core/received.ts';
import type { CommandOutput, RunCommand } from '../../../runtime/engine/command-port.ts';
import { type CommandName, runCommand } from '../../scans/commands.ts';
import { inOrder, sortedTexts } from '../portable.ts';
import type { Members, TenantRecord } from '../tenant.ts';
import { DLP_KINDS, type DlpKind, DlpNames, type Known, namedRules } from './names.ts';

export interface DlpTenant {
  /** Resources that the tenant may change, in the form of a file. */
  readonly records: readonly TenantRecord[];
  readonly names: DlpNames;
  /** Messages about members that the file format cannot express. */
  readonly notes: readonly string[];
  readonly simulated: boolean;
}

const LISTS = {
  dictionary: 'aisec-runtime-dlp-dictionaries-list',
  pattern: 'aisec-runtime-dlp-patterns-list',
  'data profile': 'aisec-runtime-dlp-profiles-list',
  'filtering profile': 'aisec-runtime-dlp-filtering-profiles-list',
} as const satisfies Readonly<Record<DlpKind, CommandName>>;

const PAGE_SIZE = 1000;

const readHead = object({
  id: anyOf,
  name: textOf,
  type: textOf,
  pattern_status: textOf,
  profile_status: textOf,
  is_parent_managed: flagOf,
  version: numberOf,
});

const readVersions = list({ version: numberOf });

interface Head extends Known {
  readonly status: string | undefined;
}

/** @throws ResponseError if a list is incomplete or contradicts itself */
export async function readDlp(run: RunCommand): Promise<DlpTenant> {
  const names = new DlpNames();
  const heads = new Map<DlpKind, readonly Head[]>();
  let simulated = false;
  for (const kind of DLP_KINDS) {
    const listed = await listAll(kind, run);
    simulated ||= listed.simulated;
    const there = listed.heads.filter(({ status }) => status !== 'deleted');
    names.add(kind, there);
    heads.set(kind, there);
  }
  const records: TenantRecord[] = [];
  const notes: string[] = [];
  for (const kind of DLP_KINDS) {
    for (const { id, name, status, fixed } of heads.get(kind) ?? []) {
      if (fixed) continue;
      const note = (text: string) => notes.push(`${kind} ${name} ${text}`);
      const record = await readDlpRecord({ kind, id }, { run, names, note });
      if (record !== undefined) records.push(record);
      if (status !== undefined && status !== 'active') note(`is ${status} here, and active where it is made.`);
    }
  }
  return { records, names, notes, simulated };
}

/** Reads only the names of the data profiles. @throws ResponseError as above */
export async function readDlpNames(run: RunCommand): Promise<DlpTenant> {
  const names = new DlpNames();
  const { heads, simulated } = await listAll('data profile', run);
  names.add(
    'data profile',
    heads.filter(({ status }) => status !== 'deleted'),
  );
  return { records: [], names, notes: [], simulated };
}

/** Reads every page of a list. */
async function listAll(kind: DlpKind, run: RunCommand) {
  const heads = new Map<string, Head>();
  for (let page = 0; ; page += 1) {
    const output: Page = await runCommand(run, LISTS[kind], { page, size: PAGE_SIZE });
    const { records, raw, gap, incomplete = false, simulated } = output;
    // Pattern versions are only in the raw response.
    const versions = readVersions(raw);
    if (gap !== undefined || (incomplete && records.length === 0)) throw incompleteList(kind, gap);
    for (const [at, record] of records.entries()) {
      const head = headOf(kind, { ...objectOf(record), ...versions[at] });
      if (heads.has(head.id)) throw incompleteList(kind, `It has the id ${head.id} twice.`);
      heads.set(head.id, head);
    }
    if (!incomplete && records.length < PAGE_SIZE) return { heads: [...heads.values()], simulated };
  }
}

type Page = Omit<CommandOutput, 'record' | 'records'> & { readonly records: readonly unknown[] };

function incompleteList(kind: DlpKind, why = 'A page before the last is empty.'): ResponseError {
  return new ResponseError(
    `The list of DLP ${kind === 'dictionary' ? 'dictionaries' : `${kind}s`} is incomplete. ${why}`,
    {
      hint: 'The complete list is needed: try again later.',
    },
  );
}

/** Reads the members that every list has. @throws ResponseError for a resource that cannot be identified */
function headOf(kind: DlpKind, record: unknown): Head {
  const { id, name, type, pattern_status, profile_status, is_parent_managed, version } = readHead(record);
  const known = typeof id === 'number' ? String(id) : (textOf(id) ?? '');
  if (known === '' || name === undefined) {
    throw new ResponseError(`The service sent a DLP ${kind} without its ${known === '' ? 'id' : 'name'}.`, {
      hint: 'It cannot be compared or changed: try again later.',
    });
  }
  // Even a predefined filtering profile has settings of the tenant.
  const fixed = is_parent_managed === true || (type === 'predefined' && kind !== 'filtering profile');
  const status = pattern_status ?? profile_status;
  return { id: known, name, fixed, status, ...(version === undefined ? {} : { version }) };
}

interface Reading {
  readonly run: RunCommand;
  readonly names: DlpNames;
  /** Receives messages about members that the file format cannot express. */
  readonly note?: (text: string) => void;
}

/** Reads one resource in the form of a file. @returns undefined if it does not exist or cannot be moved */
export async function readDlpRecord(
  { kind, id }: { readonly kind: DlpKind; readonly id: string },
  { run, names, note = () => undefined }: Reading,
): Promise<TenantRecord | undefined> {
  const output = await getOne(kind, id, run);
  if (output === undefined) return undefined;
  const record: JsonObject = output.record;
  const members = membersOf(kind, { record, raw: objectOf(output.raw), names, note });
  if (members === undefined) return undefined;
  return { kind, id, name: textOf(record['name']) ?? '', revision: 0, members, older: [] };
}

async function getOne(kind: DlpKind, id: string, run: RunCommand) {
  try {
    if (kind === 'dictionary') {
      const wanted = { dictionary_id: id, include_keywords: true };
      return await runCommand(run, 'aisec-runtime-dlp-dictionaries-get', wanted);
    }
    if (kind === 'pattern') return await runCommand(run, 'aisec-runtime-dlp-patterns-get', { pattern_id: id });
    if (kind === 'data profile') return await runCommand(run, 'aisec-runtime-dlp-profiles-get', { profile_id: id });
    return await runCommand(run, 'aisec-runtime-dlp-filtering-profiles-get', { profile_id: id });
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return undefined;
    throw thrown;
  }
}

interface Source {
  /** Output of the command that reads the resource. */
  readonly record: JsonObject;
  /** Response of the service. */
  readonly raw: JsonObject;
  readonly names: DlpNames;
  /** Receives messages about members that the file format cannot express. */
  readonly note: (text: string) => void;
}

type Reader = (source: Source) => Members | undefined;

/** Members of a filtering profile that no argument can set. */
const INEXPRESSIBLE = ['criteria_details', 'exception_rules', 'exclusions', 'rule1', 'rule2', 'euc_template_id'];

const READERS: Readonly<Record<DlpKind, Reader>> = {
  dictionary: ({ record, note }) => {
    const { description, category, region_name, is_case_sensitive, keywords } = record;
    const words = sortedTexts(textsOf(keywords));
    if (words.length === 0) note('comes without its keywords: state them before it is made in another tenant.');
    const content = words.length === 0 ? {} : { keywords: words };
    return { description, category, region_name, is_case_sensitive, ...content };
  },
  pattern: ({ record }) => {
    const { description, type, detection_config, matching_rules, tags } = record;
    const { technique, supported_confidence_levels: levels } = objectOf(detection_config);
    return {
      description,
      type,
      detection_technique: technique,
      supported_confidence_levels: levels === null ? undefined : sortedTexts(textsOf(levels)),
      matching_rules: inOrder(matching_rules, ''),
      tags: inOrder(tags, ''),
    };
  },
  'data profile': ({ record, names, note }) => {
    const { description, is_granular_data_profile, detection_rules } = record;
    const lost: string[] = [];
    const rules = inOrder(
      namedRules(detection_rules, names, (what) => lost.push(what)),
      '',
    );
    if (lost.length === 0) return { description, is_granular_data_profile, detection_rules: rules };
    note(`cannot move: its rules refer to ${lost.join(', ')}, which no list of the tenant has.`);
    return undefined;
  },
  'filtering profile': ({ record, raw, names, note }) => {
    const { data_profile_id: id, direction, description, log_severity, scan_type, file_type } = record;
    const { file_based, non_file_based, is_end_user_coaching_enabled, is_granular_profile } = record;
    const profile = id === null || id === undefined ? undefined : names.byId('data profile', String(id))?.name;
    const left = INEXPRESSIBLE.filter((name) => (raw[name] ?? null) !== null);
    if (left.length > 0) note(`keeps what no command can set, in each tenant its own: ${left.join(', ')}.`);
    return {
      ...{ description, data_profile: profile, direction, log_severity, file_based, non_file_based, scan_type },
      file_type: file_type === null ? undefined : sortedTexts(textsOf(file_type)),
      ...{ is_end_user_coaching_enabled, is_granular_profile },
    };
  },
};

/** Returns the members of a resource in the form of a file; undefined if it cannot be moved. */
export function membersOf(kind: DlpKind, source: Source): Members | undefined {
  const members = READERS[kind](source);
  if (members === undefined) return undefined;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

/** An empty string or list counts as a missing member. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
