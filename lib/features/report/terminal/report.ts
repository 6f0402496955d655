import { UsageError } from '../../../core/errors.ts';
import { pageFlags } from '../../../hosts/terminal/line/shared-flags.ts';
import { type Subcommand, usageError } from '../../../hosts/terminal/line/subcommand.ts';
import { subcommandLine } from '../../../hosts/terminal/ui/shell.ts';

const USAGE = 'report JOB_ID | SCAN_UUID | FILE.jsonl --html FILE [--open]';

/** `aisec report`: writes the result of a red-team scan, a model scan or a bulk scan as one HTML page. */
export const report: Subcommand<typeof pageFlags> = {
  usage: USAGE,
  summary: 'Write the result of a red-team, model or bulk scan as an HTML page.',
  words: 1,
  flags: pageFlags,
  dryRun: () => 'honours',
  inRoom: { usage: 'report ID --html FILE', summary: 'Write a page. Also: explain, watch, dashboard.' },
  completes: ({ length }) => (length === 0 ? 'scans and files' : []),
  run: async (cli) => {
    const [word = ''] = cli.words;
    const { html: named = '', open: opens } = cli.options;
    if (word === '') throw usageError('aisec report needs the id of a red-team or model scan, or a bulk file.', USAGE);
    if (named === '' && !opens) {
      const opening = subcommandLine(['report', word, '--open'], cli.screen.shell);
      throw new UsageError('aisec report needs a file to write the page to.', {
        hint: `Write it with --html FILE, or look at it with: ${opening}`,
      });
    }
    const { openPage, withPageFile } = await import('../../scans/open-page.ts');
    return withPageFile(cli.options, 'aisec-report.html', async (file = named) => {
      const { writeBulkReport, writeScanReport } = await import('./write.ts');
      const isBulkFile = word === '-' || /\.(?:jsonl|ndjson)$/i.test(word);
      const code = await (isBulkFile ? writeBulkReport : writeScanReport)(word, file, cli);
      if (opens) await openPage(file, cli);
      return code;
    });
  },
};
