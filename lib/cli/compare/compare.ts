/** `aisec compare`: the difference between two red-team scans of a target. */
import { PartialError, UsageError } from '../../engine/errors.ts';
import { type ComparisonData, collectComparison } from '../../features/report/collect/collect-comparison.ts';
import { comparisonJson } from '../../features/report/comparison-summary.ts';
import { sessionOf } from '../../hosts/terminal/modes/session.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { jsonText } from '../../hosts/terminal/render/json.ts';
import { measureFor } from '../../hosts/terminal/render/measure.ts';
import { printLong } from '../../hosts/terminal/render/print-long.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { checkFileWritable, writeFileAtomically } from '../../node/files/atomic-write.ts';
import { OWNER_ONLY } from '../../node/files/commit-file.ts';
import { markdown } from '../../output/markdown.ts';
import { commandRunner } from '../tools/command-runner.ts';
import { jobIdOf } from '../tools/job-id.ts';

export const USAGE = 'compare JOB_ID JOB_ID [--html FILE]';

/** Compares two scans. @returns 0, or the exit code of the reported error */
export async function compare(cli: SubcommandContext): Promise<number> {
  const { host, options, screen, signal } = cli;
  const [first = '', second = ''] = cli.words;
  if (first === '' || second === '') {
    throw new UsageError('aisec compare needs two red-team scans, the earlier one first.', {
      hint: `Usage: aisec ${USAGE}`,
    });
  }
  const { html: file } = options;
  if (file !== undefined) await checkFileWritable(file);
  const session = await sessionOf(cli);
  try {
    const progress = (line: string) => {
      if (!options.quiet) screen.progress(line);
    };
    const { clock } = await session.runtime(signal);
    const ids = [await jobIdOf(first, cli, session), await jobIdOf(second, cli, session)] as const;
    const data = await collectComparison(ids, commandRunner(host, session, signal), {
      createdAt: clock.now(),
      version: host.version,
      progress,
      withAnswers: file !== undefined,
    });
    if (file !== undefined && !options.dryRun) {
      const { comparisonPage } = await import('../../features/report/page/comparison-html.ts');
      // The page contains prompts of attacks and the responses.
      await writeFileAtomically(file, comparisonPage(data), OWNER_ONLY);
    }
    await show(data, cli);
    return await end(data, cli);
  } finally {
    await session.close();
  }
}

async function show(data: ComparisonData, cli: SubcommandContext): Promise<void> {
  const { host, options, screen, format, signal } = cli;
  if (isForPrograms(format)) {
    const { html } = options;
    const written = html === undefined ? {} : { file: html, ...(options.dryRun ? { dry_run: true } : {}) };
    return screen.result(jsonText({ ...comparisonJson(data), ...written }, screen.terminal));
  }
  const { comparisonReadable, renderComparison } = await import('./view.ts');
  const readable = comparisonReadable(data);
  if (format === 'markdown') return screen.result(markdown(readable).trimEnd());
  const page = { width: screen.width, style: screen.style, signal, measure: await measureFor(readable) };
  const text = await renderComparison(data, page, {
    wide: options.wide,
    rows: screen.terminal ? host.stdout.rows : undefined,
    now: data.createdAt,
  });
  await printLong(text, cli);
}

async function end({ missing, simulated }: ComparisonData, { options, format, screen, report }: SubcommandContext) {
  const place = options.dryRun ? 'would be written to' : 'is in';
  if (options.html !== undefined && !options.quiet) screen.note(`note: the page ${place} ${options.html}.`);
  if (simulated && isForPrograms(format)) screen.note('note: answered by the simulated service, not by a tenant.');
  const [lost] = missing.filter(({ failed }) => failed);
  if (lost === undefined) return 0;
  return report(
    new PartialError(`The scans are compared, but not everything could be read: ${lost.what}.`, { hint: lost.why }),
  );
}
