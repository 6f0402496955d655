import type { Subcommand } from '../../line/subcommand.ts';
import { flags, USAGE } from './flags.ts';

/** `aisec guard`: a pipe that passes text on as it is cleared, and cuts it off where a security profile blocks it. */
export const guard: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Let a text pass in a pipe as a security profile (--profile) clears it.',
  words: 0,
  flags,
  dryRun: () => ({
    refused: 'Each text that passes is scanned.',
    hint: 'Rehearse it with --simulate.',
  }),
  completes: () => [],
  run: async (cli) => (await import('./run-guard.ts')).runGuard(cli),
};
