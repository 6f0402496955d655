import type { Subcommand } from '../../../hosts/terminal/line/subcommand.ts';

/** `aisec explain`: shows what each detector found in an earlier scan. */
export const explain: Subcommand = {
  usage: 'explain SCAN_ID',
  summary: 'Show what each detector found in a scan of any day, by the id of the scan or of its report.',
  words: 1,
  dryRun: () => 'reads',
  inRoom: {
    usage: 'explain [SCAN_ID | last]',
    summary: 'Show what detectors found in a scan, or list the scans.',
    isAlias: true,
  },
  completes: ({ length }) => (length === 0 ? 'scans' : []),
  run: async (cli) => (await import('./run-explain.ts')).runExplain(cli),
};
