/** The members of DLP resources that a command can set, in the form of a file. */
import { type JsonObject, objectOf } from '../../../core/json.ts';
import { textsOf } from '../../../core/received.ts';
import { ordered, sortedTexts } from '../portable.ts';
import type { Members } from '../tenant.ts';
import type { DlpKind } from './kinds.ts';
import type { DlpNames } from './names.ts';
import { namedRules } from './rules.ts';

interface Source {
  /** Output of the command that reads it. */
  readonly record: JsonObject;
  /** Response of the service. */
  readonly raw: JsonObject;
  readonly names: DlpNames;
  /** Receives what the form cannot have. */
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
      matching_rules: ordered(matching_rules, ''),
      tags: ordered(tags, ''),
    };
  },
  'data profile': ({ record, names, note }) => {
    const { description, is_granular_data_profile, detection_rules } = record;
    const lost: string[] = [];
    const rules = ordered(
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

/** Returns the members of a resource in the form of a file; undefined if it cannot move. */
export function membersOf(kind: DlpKind, source: Source): Members | undefined {
  const members = READERS[kind](source);
  if (members === undefined) return undefined;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

/** An empty text or list and a missing member are the same. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
