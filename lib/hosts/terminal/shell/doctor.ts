import type { Configuration } from '../line/configuration.ts';
import { isForPrograms } from '../line/options.ts';
import type { Subcommand, SubcommandContext } from '../line/subcommand.ts';
import { printLong } from '../result/print-long.ts';

const STANDARD_SECONDS = 30;

/** `aisec doctor`: tests each plane, and shows the tenant, the settings in use and their sources. */
export const doctor: Subcommand = {
  usage: 'doctor',
  summary: 'Test the connection, and show tenant and settings.',
  everyday: true,
  words: 0,
  dryRun: () => 'reads',
  inRoom: { usage: 'doctor', summary: 'Test the connection to each plane.' },
  run: async (cli) => {
    const { options, format, signal, report } = cli;
    const [{ firstFailure, runChecks }, { sessionOf }, { renderChecks }] = await Promise.all([
      import('../../../runtime/engine/checks.ts'),
      import('../line/session.ts'),
      import('./shared/checks-view.ts'),
    ]);
    const session = await sessionOf(cli);
    try {
      // Its checks change nothing, even after `set dry-run on`.
      const runtime = await session.runtime(signal, false);
      const budgetMs = (options.timeoutSeconds ?? STANDARD_SECONDS) * 1000;
      const outcomes = await runChecks({ ...runtime, budgetMs });
      const simulated = options.simulate || outcomes.some((outcome) => outcome.simulated);
      const { configuration } = session;
      const notes = simulated ? [] : await originOf(configuration, cli);
      await printLong(await renderChecks({ outcomes, configuration, simulated, settings: true, notes }, cli), cli);
      const failure = firstFailure(outcomes);
      if (failure === undefined) return 0;
      // The table already shows the failure.
      return isForPrograms(format) ? await report(failure) : failure.exitCode;
    } finally {
      await session.close();
    }
  },
};

/** Names the file and the profile, or says how to create them. */
async function originOf(
  { file, sources }: Configuration,
  { host: { environment }, options }: SubcommandContext,
): Promise<string[]> {
  const { HOW_TO_BEGIN, isUnset } = await import('../line/configuration.ts');
  const begin = isUnset({ sources }) ? [HOW_TO_BEGIN] : [];
  if (file === undefined) {
    const { settingsPath } = await import('../../../node/settings/location.ts');
    const path = settingsPath({ path: options.config, environment });
    return [...begin, `Settings file: ${path === undefined ? 'none, because HOME is not set' : `${path} (missing)`}.`];
  }
  const profile = file.profile === undefined ? 'no profile' : `profile ${file.profile}`;
  return [...begin, `Settings file: ${file.path}, ${profile}${file.production ? ', production' : ''}.`];
}
