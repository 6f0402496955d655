import { UsageError } from '../engine/errors.ts';
import { isForPrograms } from '../hosts/terminal/options/options.ts';
import { jsonText } from '../hosts/terminal/render/json.ts';
import { measureFor } from '../hosts/terminal/render/measure.ts';
import { renderReadable } from '../hosts/terminal/render/table.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { markdown } from '../output/markdown.ts';
import { tableOf } from '../output/readable.ts';
import { parseAddress, writeAddress } from '../settings/address.ts';
import { DEFAULT_PROFILE, readSections, type SettingsSections } from '../settings/file.ts';
import { namedProfile, type SettingsFileRequest, settingsPath } from '../settings/location.ts';

interface Profile {
  /** Null for the top level of a file. */
  readonly name: string | null;
  readonly url: string | null;
  readonly tenant: string | null;
  readonly production: boolean;
  readonly used: boolean;
}

const DIFF = 'profiles diff FILE [--prune] [--allow-unknown] [--exit-code]';

/** `aisec profiles`: lists the sections of the settings file; `diff` compares security profiles with a file. */
export async function profiles(cli: SubcommandContext): Promise<number> {
  const [what, file] = cli.words;
  const hint = `Usage: aisec profiles, or aisec ${DIFF}`;
  if (what === 'diff') {
    const { showDiff, withPlan } = await import('./plan/plan.ts');
    return withPlan(file, DIFF, cli, (planned) => showDiff(planned, cli), ['profile']);
  }
  if (what !== undefined) throw new UsageError(`aisec profiles does not know "${what.slice(0, 60)}".`, { hint });
  const { prune, allowUnknown } = cli.options;
  const option = prune ? '--prune' : '--allow-unknown';
  if (prune || allowUnknown) throw new UsageError(`Option ${option} belongs to: aisec profiles diff.`, { hint });
  return list(cli);
}

/** Lists the sections of the settings file, without any secret. */
async function list({ host, options, format, screen, signal }: SubcommandContext): Promise<number> {
  const request = { path: options.config, profile: options.profile, environment: host.environment, signal };
  const found = await readSections(request);
  const listed = found === undefined ? [] : profilesOf(found, namedProfile(request));
  if (isForPrograms(format)) {
    screen.result(jsonText(listed, screen.terminal));
  } else if (listed.length > 0) {
    const rows = listed.map(({ name, url, tenant, production, used }) => ({
      profile: name ?? '(top level)',
      server_url: url,
      tenant,
      production: production ? 'production' : '',
      used: used ? 'in use' : '',
    }));
    const readable = { title: 'Profiles', simulated: false, tables: [tableOf(rows)], notes: [] };
    const page = { width: screen.width, style: screen.style, signal, measure: await measureFor(readable) };
    screen.result(format === 'markdown' ? markdown(readable).trimEnd() : await renderReadable(readable, page));
  }
  if (!options.quiet) for (const note of notesOf(request, found, listed)) screen.note(note);
  return 0;
}

function profilesOf({ base, sections }: SettingsSections, named: string | undefined): Profile[] {
  const chosen = named ?? DEFAULT_PROFILE;
  const hasDefault = sections.some(({ name }) => name === DEFAULT_PROFILE);
  const hasTop = Object.keys(base.values).length > 0 && !hasDefault;
  const top = { name: null, ...shown(base.values), production: base.production ?? false, used: named === undefined };
  return [
    ...(hasTop ? [top] : []),
    ...sections.map(({ name, values, production }) => ({
      name,
      ...shown({ ...base.values, ...values }),
      production: production ?? base.production ?? false,
      used: name === chosen,
    })),
  ];
}

/** Returns what may be seen; a value that is not of its kind may be a secret in the wrong place. */
function shown({ url, tsg_id: tenant }: Readonly<Record<string, unknown>>) {
  const address = url === undefined ? undefined : parseAddress(String(url).trim());
  return {
    url: address === undefined ? null : 'problem' in address ? '(not valid)' : writeAddress(address),
    tenant: tenant === undefined ? null : /^\d+$/.test(String(tenant).trim()) ? String(tenant).trim() : '(not valid)',
  };
}

function notesOf(
  request: SettingsFileRequest,
  found: SettingsSections | undefined,
  listed: readonly Profile[],
): string[] {
  const path = settingsPath(request) ?? 'none, because HOME is not set';
  if (found === undefined) return [`note: there is no settings file yet (${path}). Write one with: aisec init`];
  const named = namedProfile(request);
  const isMissing = named !== undefined && !listed.some(({ name }) => name === named);
  return [
    ...(isMissing ? [`warning: there is no profile "${named}".`] : []),
    `note: ${path}. Choose one with --profile NAME or AISEC_PROFILE.`,
  ];
}
