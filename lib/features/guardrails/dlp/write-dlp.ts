/** Changes a DLP resource through the registry's commands. */
import { PreconditionError, ResponseError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { textsOf } from '../../../core/received.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { reconcile } from '../../../runtime/topics/reconcile.ts';
import { type ArgumentsOf, type CommandName, type OutputOf, runCommand } from '../../scans/commands.ts';
import { type Change, outdated } from '../tenant.ts';
import { type DlpKind, type DlpNames, sentRules } from './names.ts';
import { readDlpRecord } from './read-dlp.ts';

export interface DlpWork {
  readonly run: RunCommand;
  readonly names: DlpNames;
  /** Keeps the keywords of a dictionary as a file that commands can name, and returns its entry. */
  readonly keepText: (name: string, text: string) => Promise<string>;
}

export type DlpChange = Change & { readonly kind: DlpKind };

/** @throws ConflictError if the resource has changed since the plan */
export async function checkDlp({ kind, name, record }: DlpChange, work: DlpWork): Promise<void> {
  if (record === undefined) return;
  const current = await readDlpRecord({ kind, id: record.id }, work);
  const isSame = current !== undefined && reconcile(record.members, current.members).changes.length === 0;
  if (isSame && current.name === name && reconcile(current.members, record.members).changes.length === 0) return;
  throw outdated(record);
}

/** Creates or replaces a resource. @returns its id */
export async function writeDlp(change: DlpChange, work: DlpWork): Promise<string> {
  const id = await WRITERS[change.kind](change, work);
  if (work.names.byName(change.kind, change.name) === undefined) {
    work.names.add(change.kind, [{ id, name: change.name, fixed: false }]);
  }
  return id;
}

/** Reads the resource again, and compares it with all values that were sent. */
export async function readDlpBack({ kind, name, after }: DlpChange, id: string, work: DlpWork) {
  const kept = await readDlpRecord({ kind, id }, work);
  if (kept === undefined) return [{ path: ['name'], before: undefined, after: name }];
  return reconcile({ name, ...after }, { name: kept.name, ...kept.members }).changes;
}

type Writer = (change: Change, work: DlpWork) => Promise<string>;

const WRITERS: Readonly<Record<DlpKind, Writer>> = {
  dictionary: async ({ name, record, after = {} }, { run, keepText }) => {
    const { keywords, ...described } = after;
    const words = textsOf(keywords);
    if (words.length === 0) {
      throw new PreconditionError(
        `The keywords of the dictionary ${name} are unknown, and a change sends all of them.`,
        {
          hint: 'State its keywords in the file.',
        },
      );
    }
    const entry_id = await keepText(`${name.replace(/[^\w-]+/g, '-')}.txt`, words.map((word) => `${word}\n`).join(''));
    const args = { name, ...described, entry_id };
    if (record === undefined) return send(run, 'aisec-runtime-dlp-dictionaries-create', args);
    return send(run, 'aisec-runtime-dlp-dictionaries-replace', { dictionary_id: record.id, ...args }, record.id);
  },
  pattern: async ({ name, record, after = {} }, { run }) => {
    const args = { name, ...after };
    if (record === undefined) return send(run, 'aisec-runtime-dlp-patterns-create', args);
    return send(run, 'aisec-runtime-dlp-patterns-replace', { pattern_id: record.id, ...args }, record.id);
  },
  'data profile': async ({ name, record, after = {} }, { run, names }) => {
    const args = { name, ...after, detection_rules: sentRules(after['detection_rules'] ?? [], names) };
    if (record === undefined) return send(run, 'aisec-runtime-dlp-profiles-create', args);
    return send(run, 'aisec-runtime-dlp-profiles-replace', { profile_id: record.id, ...args }, record.id);
  },
  'filtering profile': async ({ name, record, after = {} }, { run, names }) => {
    const id = record?.id ?? (await filteringProfile(name, run));
    const { data_profile, ...settings } = after;
    const profile = names.byName('data profile', String(data_profile));
    // A replacement drops members that it does not send, and the end-user template belongs to the tenant.
    const current = await runCommand(run, 'aisec-runtime-dlp-filtering-profiles-get', { profile_id: id });
    const args = {
      profile_id: id,
      file_based: current.record.file_based,
      non_file_based: current.record.non_file_based,
      ...settings,
      ...(profile === undefined ? {} : { data_profile_id: Number(profile.id) }),
      euc_template_id: current.record.euc_template_id,
    };
    return send(run, 'aisec-runtime-dlp-filtering-profiles-replace', args, id);
  },
};

/** Sends the arguments that have a value. @param known the id, if known: some answers lack it */
async function send<N extends CommandName>(
  run: RunCommand,
  command: N,
  args: JsonObject,
  known?: string,
): Promise<string> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const output: Pick<OutputOf<N>, 'raw'> & { readonly record: JsonObject } = await runCommand(
    run,
    command,
    Object.fromEntries(given) as ArgumentsOf<N>,
  );
  const id = known ?? output.record['id'];
  if (typeof id === 'string' && id !== '') return id;
  throw new ResponseError(`The service answered ${command} without an id.`, {
    hint: 'Look at the difference with --dry-run: it may have been made.',
  });
}

/** Finds the filtering profile that the service created with its data profile. */
async function filteringProfile(name: string, run: RunCommand): Promise<string> {
  for (let page = 0; ; page += 1) {
    const args = { page, size: 1000 };
    const { records, incomplete } = await runCommand(run, 'aisec-runtime-dlp-filtering-profiles-list', args);
    const found = records.find((record) => record.name === name)?.id;
    if (typeof found === 'string') return found;
    if (incomplete !== true || records.length === 0) break;
  }
  throw new PreconditionError(`The service has not made the filtering profile ${name} yet.`, {
    hint: 'Apply the file again in a minute.',
  });
}
