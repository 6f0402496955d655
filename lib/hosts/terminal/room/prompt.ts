/** Shows a war room's tenant: in the prompt, and in the first lines. */
import { type Configuration, HOW_TO_BEGIN, isUnset } from '../line/configuration.ts';
import type { CliContext } from '../line/subcommand.ts';
import { sanitize } from '../ui/sanitize.ts';
import type { Style } from '../ui/style.ts';

/** Maximum length of a name that the user chose. */
const MAX_NAME_LENGTH = 40;

/** Returns the prompt with the tenant's name, in the warning colour for a production tenant. */
export function promptOf(configuration: Configuration, style: Style): string {
  const { simulation, settings } = configuration;
  const name = simulation === undefined ? (sectionOf(configuration) ?? settings.tsg_id) : 'simulated';
  const text = name === undefined ? 'aisec' : `aisec (${plainName(name)})`;
  return `${style.bold(isProduction(configuration) ? style.yellow(text) : text)}> `;
}

/** Shows the program, the tenant and suggested first commands. Sends no request. */
export function welcome({ host, options, screen }: CliContext, configuration: Configuration): void {
  if (options.quiet) return;
  const { settings, simulation } = configuration;
  const isSimulated = simulation !== undefined;
  const profile = sectionOf(configuration);
  const parts = [
    profile === undefined ? undefined : `profile ${plainName(profile)}`,
    settings.tsg_id === undefined ? undefined : `tenant ${plainName(settings.tsg_id)}`,
    isSimulated ? 'simulated' : undefined,
    isProduction(configuration) ? screen.noteStyle.yellow('production') : undefined,
    settings.url === undefined || isSimulated ? undefined : hostOf(settings.url),
  ];
  screen.note([`aisec ${host.version}`, ...parts.filter((part) => part !== undefined)].join(', '));
  screen.note(isUnset(configuration) ? `note: ${HOW_TO_BEGIN}` : howToBegin(configuration));
}

function howToBegin({ settings }: Configuration): string {
  const first = settings.runtime_api_key === undefined ? 'redteam-scans-list' : 'runtime-scan prompt="hi"';
  // A scanner key is not enough to read the dashboard.
  const next = settings.client_id === undefined ? 'commands' : 'dashboard';
  return `Try ${first}, ${next} or help. Tab completes, exit leaves.`;
}

/** Reports whether the tenant is marked as production. */
function isProduction({ simulation, file }: Configuration): boolean {
  return simulation === undefined && file?.production === true;
}

/** Returns the section of the settings file that names the tenant. */
function sectionOf({ simulation, file, sources }: Configuration): string | undefined {
  // Do not show a profile's name if the environment or an option has chosen another tenant.
  const isOverridden = (['url', 'tsg_id'] as const).some((name) => (sources[name] ?? 'file') !== 'file');
  return simulation === undefined && file?.isNamed === true && !isOverridden ? file.profile : undefined;
}

function plainName(name: string): string {
  return sanitize(name).replace(/\s+/g, ' ').slice(0, MAX_NAME_LENGTH);
}

function hostOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}
