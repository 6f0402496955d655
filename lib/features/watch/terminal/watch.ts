import { type Subcommand, usageError } from '../../../hosts/terminal/line/subcommand.ts';
import { gateFiles, redTeamFlags } from '../../gate/terminal/flags.ts';

const USAGE = 'watch JOB_ID | TARGET [--max-asr N] [--fail-on SEVERITY]';

/** `aisec watch`: shows a red-team scan until it ends, and decides on it if limits are given. */
export const watch: Subcommand<typeof redTeamFlags> = {
  usage: USAGE,
  summary: 'Watch a red-team scan until it ends; with limits, decide as a gate.',
  words: 1,
  flags: redTeamFlags,
  decides: ({ maxAsr, failOn, baseline, policy }) =>
    [maxAsr, failOn, baseline, policy].some((limit) => limit !== undefined),
  dryRun: ({ options }) => (gateFiles(options).length > 0 ? 'honours' : 'reads'),
  inRoom: { usage: 'watch JOB_ID | TARGET', summary: 'Watch a red-team scan until it ends.', isAlias: true },
  completes: ({ length }) => (length === 0 ? 'red-team targets and scans' : []),
  run: async (cli) => {
    if (cli.options.annotations) cli.screen.disarm();
    const [word = ''] = cli.words;
    if (word === '') throw usageError('aisec watch needs the id or name of a red-team scan, or of its target.', USAGE);
    return (await import('./run-watch.ts')).runWatch(word, cli);
  },
};
