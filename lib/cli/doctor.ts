import { firstFailure, runChecks } from '../engine/checks.ts';
import { sessionOf } from '../hosts/terminal/modes/session.ts';
import { type Configuration, HOW_TO_BEGIN, isUnset } from '../hosts/terminal/options/configuration.ts';
import { isForPrograms } from '../hosts/terminal/options/options.ts';
import { printLong } from '../hosts/terminal/render/print-long.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { renderChecks } from './tools/checks-view.ts';

const STANDARD_SECONDS = 30;

/** `aisec doctor`: tests each plane, and shows the tenant, the settings in use and where they come from. */
export async function doctor(cli: SubcommandContext): Promise<number> {
  const { options, format, screen, signal, report } = cli;
  const session = await sessionOf(cli);
  try {
    // Its checks change nothing, whatever the room was set to.
    const runtime = await session.runtime(signal, false);
    const budgetMs = (options.timeoutSeconds ?? STANDARD_SECONDS) * 1000;
    const outcomes = await runChecks({ ...runtime, budgetMs });
    const simulated = options.simulate || outcomes.some((outcome) => outcome.simulated);
    const { configuration } = session;
    const notes = simulated ? [] : await originOf(configuration, cli);
    const shown = { outcomes, configuration, simulated, settings: true, notes };
    await printLong(await renderChecks(shown, { format, screen, signal }), cli);
    const failure = firstFailure(outcomes);
    if (failure === undefined) return 0;
    // The table already shows the failure.
    return isForPrograms(format) ? await report(failure) : failure.exitCode;
  } finally {
    await session.close();
  }
}

/** Names the file and the profile, or says how to begin. */
async function originOf(
  { file, sources }: Configuration,
  { host: { environment }, options }: SubcommandContext,
): Promise<string[]> {
  const begin = isUnset({ sources }) ? [HOW_TO_BEGIN] : [];
  if (file === undefined) {
    const { settingsPath } = await import('../settings/location.ts');
    const path = settingsPath({ path: options.config, environment });
    return [...begin, `Settings file: ${path === undefined ? 'none, because HOME is not set' : `${path} (missing)`}.`];
  }
  const profile = file.profile === undefined ? 'no profile' : `profile ${file.profile}`;
  return [...begin, `Settings file: ${file.path}, ${profile}${file.production ? ', production' : ''}.`];
}
