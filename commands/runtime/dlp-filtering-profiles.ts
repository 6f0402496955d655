import {
  DlpFilteringProfile,
  DlpFilteringProfileGet,
  DlpFilteringProfileReplace,
} from '../../context/runtime/dlp-filtering-profiles.ts';
import {
  cell,
  command,
  dlp,
  flag,
  heading,
  type JsonObject,
  many,
  number,
  one,
  pages,
  path,
  type Table,
  text,
  list as texts,
} from '../../lib/runtime/engine/declare.ts';
import { DLP_PROFILES, FILTERING_PROFILES } from '../lookups.ts';

const profile = (id: string) => path`/v2/api/data-filtering-profiles/${id}`;

const profile_id = text('Identifier of the filtering profile.', {
  lookup: FILTERING_PROFILES,
  required: true,
  positional: true,
});

/** Members without an argument; a replacement sends their current values. */
const INEXPRESSIBLE = ['criteria_details', 'exception_rules', 'exclusions', 'rule1', 'rule2'];

export const list = command(
  'aisec-runtime-dlp-filtering-profiles-list',
  'List one page of the DLP filtering profiles.',
  {
    effect: 'read',
    args: pages,
    output: many(DlpFilteringProfile),
    call: ({ page, size }) =>
      dlp.list(path`/v2/api/data-filtering-profiles`, { items: 'content', offset: page, limit: size }),
  },
);

export const get = command('aisec-runtime-dlp-filtering-profiles-get', 'Get a DLP filtering profile.', {
  effect: 'read',
  args: { profile_id },
  output: one(DlpFilteringProfileGet),
  call: ({ profile_id }) => dlp.get(profile(profile_id)),
});

export const replace = command(
  'aisec-runtime-dlp-filtering-profiles-replace',
  'Replace a DLP filtering profile. Omitted fields are dropped and shown; rules, exceptions, exclusions and granular criteria, which have no argument, are read first and kept.',
  {
    effect: 'replace',
    args: {
      profile_id,
      file_based: flag('Inspect files.', { required: true }),
      non_file_based: flag('Inspect traffic other than files.', { required: true }),
      description: text('Description of the filtering profile.'),
      direction: text('Direction of the traffic.', { choices: ['BOTH', 'UPLOAD', 'DOWNLOAD'] }),
      log_severity: text('Severity of the log entries.', {
        choices: ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFORMATIONAL'],
      }),
      scan_type: text('Meaning of file_type: the types to include, or the types to exclude.', {
        choices: ['include', 'exclude'],
      }),
      data_profile_id: number('Identifier of the data profile to apply.', { lookup: DLP_PROFILES }),
      euc_template_id: text('Identifier of the template that end users see.'),
      is_end_user_coaching_enabled: flag('Show end users what was found.'),
      is_granular_profile: flag('Make the filtering profile granular.'),
      file_type: texts('File types to include or exclude.'),
    },
    output: one(DlpFilteringProfileReplace),
    example: 'profile_id=21000001 file_based=true non_file_based=true direction=BOTH',
    run: async ({ profile_id, ...args }, { api, note, show }) => {
      const current = await api.fetch(dlp.get(profile(profile_id)));
      const kept = present(current, INEXPRESSIBLE);
      show(changesOf(current, args));
      const dropped = droppedBy(current, args);
      if (dropped.length > 0) note(`Dropped, because the line does not give them: ${dropped.join(', ')}.`);
      const names = Object.keys(kept);
      if (names.length > 0) note(`Kept, because no argument can express them: ${names.join(', ')}.`);
      return api.fetch(dlp.put(profile(profile_id), { ...kept, ...args }));
    },
  },
);

/** Returns the named members that have a value. */
function present(current: JsonObject, names: readonly string[]): JsonObject {
  const found: Record<string, unknown> = {};
  for (const name of names) if (isSet(current[name])) found[name] = current[name];
  return found;
}

/** Lists the members that will lose their value. @param args all possible members, undefined if omitted */
function droppedBy(current: JsonObject, args: JsonObject): string[] {
  return Object.keys(args).filter((name) => isSet(current[name]) && args[name] === undefined);
}

/** Creates a table of changed members. */
function changesOf(current: JsonObject, args: JsonObject): Table {
  const changed = Object.keys(args).filter((name) => textOf(current[name]) !== textOf(args[name]));
  return {
    title: 'What the replacement changes',
    columns: ['', 'Before', 'After'],
    rows: changed.map((name) => [
      heading(name),
      isSet(current[name]) ? cell(current[name]) : 'not set',
      args[name] === undefined ? 'dropped' : cell(args[name]),
    ]),
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}
