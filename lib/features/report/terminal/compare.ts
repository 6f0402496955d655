import { PartialError } from '../../../core/errors.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { pageFlags } from '../../../hosts/terminal/line/shared-flags.ts';
import { type Subcommand, type SubcommandContext, usageError } from '../../../hosts/terminal/line/subcommand.ts';
import { printLong } from '../../../hosts/terminal/result/print-long.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import type { ComparisonData } from '../../scans/collect/collect-comparison.ts';

const USAGE = 'compare TARGET | JOB_ID JOB_ID [--html FILE]';

const flags = { html: pageFlags.html };

type Context = SubcommandContext<typeof flags>;

/** `aisec compare`: shows the difference between two red-team scans, or between the latest two of a target. */
export const compare: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Compare two red-team scans, or the latest two of a target: new, fixed and still open attacks.',
  words: 2,
  flags,
  dryRun: ({ options }) => (options.html === undefined ? 'reads' : 'honours'),
  inRoom: { usage: 'compare TARGET', summary: 'Compare the latest scans of a target, or two JOB_IDs.' },
  completes: ({ length }) => (length === 0 ? 'red-team targets and scans' : length === 1 ? 'red-team scans' : []),
  run: async (cli) => {
    const { words } = cli;
    const { html: file } = cli.options;
    if (words.length === 0 || words.includes('')) {
      throw usageError('aisec compare needs a target, or two red-team scans, the earlier one first.', USAGE);
    }
    const [{ jobIdOf, withCollection, writePage }, { collectComparison }] = await Promise.all([
      import('../../scans/scans.ts'),
      import('../../scans/collect/collect-comparison.ts'),
    ]);
    const [first = '', second] = words;
    return withCollection(file, cli, async (collection, session) => {
      const ids =
        second === undefined
          ? await (await import('./comparison-view.ts')).latestIds(first, cli, collection)
          : ([await jobIdOf(first, cli, session), await jobIdOf(second, cli, session)] as const);
      const { run, ...more } = collection;
      const data = await collectComparison(ids, run, { ...more, withAnswers: file !== undefined });
      if (file !== undefined) {
        const { comparisonPage } = await import('../page/comparison-html.ts');
        await writePage(file, comparisonPage(data), cli);
      }
      await show(data, cli);
      return end(data, cli);
    });
  },
};

async function show(data: ComparisonData, cli: Context): Promise<void> {
  const { host, options, screen, format } = cli;
  if (isForPrograms(format)) {
    const { comparisonJson } = await import('../comparison-summary.ts');
    const { html: file } = options;
    const written = file === undefined ? {} : { file, ...(options.dryRun ? { dry_run: true } : {}) };
    return screen.result(jsonText({ ...comparisonJson(data), ...written }, screen.terminal));
  }
  const [{ pageFor, readableText }, { comparisonReadable, renderComparison }] = await Promise.all([
    import('../../../hosts/terminal/result/page.ts'),
    import('./comparison-view.ts'),
  ]);
  const readable = comparisonReadable(data);
  if (format === 'markdown') return screen.result(await readableText(readable, cli));
  const text = await renderComparison(data, await pageFor(readable, cli), {
    wide: options.wide,
    rows: screen.terminal ? host.stdout.rows : undefined,
    now: data.createdAt,
  });
  await printLong(text, cli);
}

async function end({ missing, simulated }: ComparisonData, { options, format, screen, report }: Context) {
  const place = options.dryRun ? 'would be written to' : 'is in';
  if (options.html !== undefined && !options.quiet) screen.note(`note: the page ${place} ${options.html}.`);
  if (simulated && isForPrograms(format)) screen.note('note: answered by the simulated service, not by a tenant.');
  const [lost] = missing.filter(({ failed }) => failed);
  if (lost === undefined) return 0;
  return report(
    new PartialError(`The scans are compared, but not everything could be read: ${lost.what}.`, { hint: lost.why }),
  );
}
