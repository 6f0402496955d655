import { UsageError } from '../../../core/errors.ts';
import { isForPrograms } from '../line/options.ts';
import type { Subcommand, SubcommandContext } from '../line/subcommand.ts';
import { jsonText } from '../ui/json.ts';
import { sanitize } from '../ui/sanitize.ts';

const USAGE = 'Usage: aisec queue, aisec queue retry ID, or aisec queue drop ID';

/** `aisec queue`: shows waiting jobs, workers, and failed jobs that were set aside, on which `retry` and `drop` act. */
export const queue: Subcommand = {
  usage: 'queue --queue URL | queue retry ID | queue drop ID',
  summary: 'Show the queue and its workers, or retry or drop a job that was set aside.',
  words: 2,
  dryRun: ({ words: [word] }) => (word === 'retry' || word === 'drop' ? 'honours' : 'reads'),
  run: async (cli) => {
    const { host, options, format, screen, words } = cli;
    const [{ neededQueue }, { withQueue }, { dropJob, queueStatus, retryJob }] = await Promise.all([
      import('../line/configuration.ts'),
      import('../../../runs/redis/queue.ts'),
      import('../../../runs/redis/status.ts'),
    ]);
    const address = neededQueue(options, host.environment);
    const [word, id] = words;
    if (word === 'retry' && id !== undefined) {
      await withQueue(address, (opened) => retryJob(opened, id, options.dryRun));
      return changed(id, 'would wait for its turn again', 'waits for its turn again', cli);
    }
    if (word === 'drop' && id !== undefined) {
      await withQueue(address, (opened) => dropJob(opened, id, options.dryRun));
      return changed(id, 'would be dropped', 'is gone', cli);
    }
    if (word !== undefined) {
      const text = [word, id].join(' ').trim().slice(0, 60);
      throw new UsageError(`aisec queue does not know "${text}".`, { hint: USAGE });
    }
    const status = await withQueue(address, (opened) => queueStatus(opened, Date.now()));
    if (isForPrograms(format)) {
      screen.result(jsonText(status, screen.terminal));
      return 0;
    }
    const [{ printTables }, { queueNotes, tablesOf }] = await Promise.all([
      import('../result/page.ts'),
      import('./shared/queue-view.ts'),
    ]);
    await printTables('Queue', tablesOf(status), cli);
    if (!options.quiet) for (const note of queueNotes(status)) screen.note(note);
    return 0;
  },
};

function changed(id: string, planned: string, done: string, { options, screen }: SubcommandContext): number {
  if (options.dryRun) screen.note(`Dry run: ${sanitize(id)} ${planned}. Nothing was changed.`);
  else if (!options.quiet) screen.note(`${sanitize(id)} ${done}.`);
  return 0;
}
