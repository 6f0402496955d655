/** The prompt of the war room, which names the tenant. */
import type { Configuration } from '../options/configuration.ts';
import { sanitize } from '../render/sanitize.ts';
import type { Style } from '../render/style.ts';
import { MAX_NAME_LENGTH } from '../views/banner.ts';

/** Returns the prompt, in the warning colour for a production tenant. */
export function promptOf(configuration: Configuration, style: Style): string {
  const name = tenantName(configuration);
  const text =
    name === undefined ? 'aisec' : `aisec (${sanitize(name).replace(/\s+/g, ' ').slice(0, MAX_NAME_LENGTH)})`;
  return `${style.bold(isProduction(configuration) ? style.yellow(text) : text)}> `;
}

/** Reports whether the tenant is marked as production. */
export function isProduction({ simulation, file }: Configuration): boolean {
  return simulation === undefined && file?.production === true;
}

/** Returns the section of the settings file that stands for the tenant. */
export function sectionOf({ simulation, file, sources }: Configuration): string | undefined {
  // A profile's name must not stand for a tenant that the environment or an option has chosen.
  const isOverridden = (['url', 'tsg_id'] as const).some((name) => (sources[name] ?? 'file') !== 'file');
  return simulation === undefined && file?.isNamed === true && !isOverridden ? file.profile : undefined;
}

function tenantName(configuration: Configuration): string | undefined {
  if (configuration.simulation !== undefined) return 'simulated';
  return sectionOf(configuration) ?? configuration.settings.tsg_id;
}
