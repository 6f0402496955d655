/** Welcomes a person who opens the war room: names the tenant, and how to begin. */
import { type Configuration, HOW_TO_BEGIN, isUnset } from '../options/configuration.ts';
import type { CliContext } from '../subcommand.ts';
import { type Banner, bannerLine } from '../views/banner.ts';
import { isProduction, sectionOf } from './prompt.ts';

/** Shows the banner, and what to type first. It sends no request. */
export function welcome(cli: CliContext, configuration: Configuration): void {
  const { options, screen } = cli;
  if (options.quiet) return;
  screen.note(bannerLine(factsOf(cli, configuration), screen.noteStyle));
  screen.note(isUnset(configuration) ? `note: ${HOW_TO_BEGIN}` : howToBegin(configuration));
}

function factsOf({ host }: CliContext, configuration: Configuration): Banner {
  const { settings, simulation } = configuration;
  return {
    version: host.version,
    profile: sectionOf(configuration),
    tenant: settings.tsg_id,
    url: settings.url,
    isSimulated: simulation !== undefined,
    isProduction: isProduction(configuration),
  };
}

function howToBegin({ settings }: Configuration): string {
  const first = settings.runtime_api_key === undefined ? 'redteam-scans-list' : 'runtime-scan prompt="hi"';
  // A scanner's key alone reads no dashboard.
  const next = settings.client_id === undefined ? 'commands' : 'dashboard';
  return `Try ${first}, ${next} or help. Tab completes, exit leaves.`;
}
