import { UsageError } from '../../../core/errors.ts';
import { allowUnknown, prune } from '../../../hosts/terminal/line/shared-flags.ts';
import type { Subcommand } from '../../../hosts/terminal/line/subcommand.ts';

const DIFF = 'profiles diff FILE [--prune] [--allow-unknown] [--exit-code]';

const flags = { prune, allowUnknown };

/** `aisec profiles`: lists the sections of the settings file; `diff` compares security profiles with a file. */
export const profiles: Subcommand<typeof flags> = {
  usage: `profiles | ${DIFF}`,
  summary: 'List the configured tenants, or diff the security profiles.',
  everyday: true,
  words: 2,
  flags,
  dryRun: () => 'reads',
  inRoom: { usage: 'profiles|topics diff FILE', summary: 'Compare profiles or topics with those of a file.' },
  completes: ({ length }) => (length === 0 ? ['diff'] : length === 1 ? 'paths' : []),
  run: async (cli) => {
    const [what, file] = cli.words;
    const hint = `Usage: aisec profiles, or aisec ${DIFF}`;
    if (what === 'diff') return (await import('./plan/plan.ts')).diff(file, DIFF, cli, ['profile']);
    if (what !== undefined) throw new UsageError(`aisec profiles does not know "${what.slice(0, 60)}".`, { hint });
    const { prune: prunes, allowUnknown: allows } = cli.options;
    const option = prunes ? '--prune' : '--allow-unknown';
    if (prunes || allows) throw new UsageError(`Option ${option} belongs to: aisec profiles diff.`, { hint });
    return (await import('../../../hosts/terminal/result/sections.ts')).listSections(cli);
  },
};
