/** Lists the sections of the settings file. */

import { DEFAULT_PROFILE, marksOf, readSections, type SettingsSections } from '../../../node/settings/file.ts';
import { namedProfile, type SettingsFileRequest, settingsPath } from '../../../node/settings/location.ts';
import { tableOf } from '../../../runtime/output/readable.ts';
import { parseAddress, writeAddress } from '../../../runtime/settings/address.ts';
import { isForPrograms } from '../line/options.ts';
import type { SubcommandContext } from '../line/subcommand.ts';
import { jsonText } from '../ui/json.ts';
import { printTables } from './page.ts';

/** Prints the sections without their secrets. @returns the exit code */
export async function listSections(cli: SubcommandContext): Promise<number> {
  const { host, options, format, screen, signal } = cli;
  const request = { path: options.config, profile: options.profile, environment: host.environment, signal };
  const found = await readSections(request);
  const listed = found === undefined ? [] : profilesOf(found, namedProfile(request));
  if (isForPrograms(format)) screen.result(jsonText(listed, screen.terminal));
  else if (listed.length > 0) {
    const rows = listed.map(({ name, url, tenant, production, used }) => ({
      profile: name ?? '(top level)',
      server_url: url,
      tenant,
      production: production ? 'production' : '',
      used: used ? 'in use' : '',
    }));
    await printTables('Profiles', [tableOf(rows)], cli);
  }
  if (!options.quiet) for (const note of notesOf(request, found, listed)) screen.note(note);
  return 0;
}

type Profile = ReturnType<typeof profilesOf>[number];

/** Lists the sections; the top level of a file has no section name. */
function profilesOf({ base, sections }: SettingsSections, named: string | undefined) {
  const chosen = named ?? DEFAULT_PROFILE;
  const hasDefault = sections.some(({ name }) => name === DEFAULT_PROFILE);
  const hasTop = Object.keys(base.values).length > 0 && !hasDefault;
  const top = { name: null, ...shown(base.values), production: marksOf(base).production, used: named === undefined };
  return [
    ...(hasTop ? [top] : []),
    ...sections.map((section) => ({
      name: section.name,
      ...shown({ ...base.values, ...section.values }),
      production: marksOf(base, section).production,
      used: section.name === chosen,
    })),
  ];
}

/** Returns the address and the tenant; an invalid value is hidden, because it may be a secret in the wrong place. */
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
