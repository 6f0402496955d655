import { CancelledError, UsageError } from '../../../core/errors.ts';
import { number } from '../line/options.ts';
import { audit, graceSeconds, strict } from '../line/shared-flags.ts';
import type { Subcommand, SubcommandContext } from '../line/subcommand.ts';

const STANDARD_SLOTS = 4;
const STANDARD_GRACE_SECONDS = 30;

const flags = {
  slots: number('N', 'Maximum number of shards and runs at the same time. The default is 4.', { largest: 1000 }),
  requestsPerSecond: number(
    'N',
    'Requests that all workers of a tenant together may send in a second; 0 removes the limit.',
    { largest: 100_000 },
  ),
  audit,
  strict,
  graceSeconds,
};

/** `aisec worker`: does the work on the queue, until a signal. */
export const worker: Subcommand<typeof flags> = {
  usage: 'worker --queue URL [--slots N] [--requests-per-second N]',
  summary: 'Do the bulk scans and runs on the queue.',
  words: 0,
  flags,
  dryRun: () => ({
    refused: 'It does the work on the queue for real.',
    hint: 'Leave out --dry-run; a dry run is never put on the queue.',
  }),
  untilStopped: true,
  run: async ({ host, options, screen, signal }) => {
    const { slots = STANDARD_SLOTS, quiet } = options;
    if (slots < 1) throw new UsageError('A worker needs a slot.', { hint: 'Use --slots 1 or more.' });
    const [{ startOptions }, { neededQueue }, { namedProfile }, { plural }, { runWorker }] = await Promise.all([
      import('./shared/serving.ts'),
      import('../line/configuration.ts'),
      import('../../../node/settings/location.ts'),
      import('../../../core/text/numbers.ts'),
      import('../../worker/main.ts'),
    ]);
    const { environment } = host;
    const named = namedProfile({ path: options.config, profile: options.profile, environment });
    const profiles = options.simulate || named !== undefined ? [] : await sectionsOf({ host, options, signal });
    // The worker was stopped while the settings file, a named pipe, had no text yet.
    if (profiles === undefined) return 0;
    // A worker does the work itself.
    const { queue: _queue, ...client } = startOptions(options, host);
    const asked = {
      client,
      queue: neededQueue(options, environment),
      profiles,
      profile: named ?? '',
      slots,
      perSecond: options.requestsPerSecond,
      graceMs: (options.graceSeconds ?? STANDARD_GRACE_SECONDS) * 1000,
      strict: options.strict,
      auditFile: options.audit,
    };
    const onReady = (tenants: readonly string[]) => {
      if (quiet) return;
      const of = tenants.length === 1 ? '' : ` of ${plural(tenants.length, 'tenant')}`;
      screen.note(`The worker waits for work${of}: ${plural(slots, 'slot')}. Ctrl-C stops it.`);
    };
    await runWorker(host, asked, { onReady, warn: (message) => screen.note(`warning: ${message}`), signal });
    return 0;
  },
};

/** Lists the sections of the settings file. @returns undefined after a stop */
async function sectionsOf({
  host: { environment },
  options,
  signal,
}: Pick<SubcommandContext, 'host' | 'options' | 'signal'>): Promise<readonly string[] | undefined> {
  const { readSections } = await import('../../../node/settings/file.ts');
  try {
    const found = await readSections({ path: options.config, profile: options.profile, environment, signal });
    return (found?.sections ?? []).map(({ name }) => name);
  } catch (thrown) {
    if (thrown instanceof CancelledError) return undefined;
    throw thrown;
  }
}
