/** The prompt of the war room, which names the tenant. */
import type { Configuration } from '../options/configuration.ts';
import { sanitize } from '../render/sanitize.ts';
import type { Style } from '../render/style.ts';

const MAX_NAME_LENGTH = 40;

/** Returns the prompt, in the warning colour for a production tenant. */
export function promptOf(configuration: Configuration, style: Style): string {
  const name = tenantName(configuration);
  const text =
    name === undefined ? 'aisec' : `aisec (${sanitize(name).replace(/\s+/g, ' ').slice(0, MAX_NAME_LENGTH)})`;
  const isProduction = configuration.simulation === undefined && configuration.file?.production === true;
  return `${style.bold(isProduction ? style.yellow(text) : text)}> `;
}

function tenantName({ simulation, file, settings, sources }: Configuration): string | undefined {
  if (simulation !== undefined) return 'simulated';
  // A profile's name must not stand for a tenant that the environment or an option has chosen.
  const isOverridden = (['url', 'tsg_id'] as const).some((name) => (sources[name] ?? 'file') !== 'file');
  return file?.isNamed === true && !isOverridden ? file.profile : settings.tsg_id;
}
