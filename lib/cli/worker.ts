import { CancelledError, UsageError } from '../engine/errors.ts';
import type { Environment } from '../hosts/terminal/host.ts';
import type { Options } from '../hosts/terminal/options/cli-options.ts';
import { neededQueue } from '../hosts/terminal/options/queue-address.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { readSections } from '../settings/file.ts';
import { namedProfile } from '../settings/location.ts';
import { plural } from '../text/numbers.ts';
import { startOptions } from './tools/start-options.ts';

const STANDARD_SLOTS = 4;
const STANDARD_GRACE_SECONDS = 30;

/** `aisec worker`: does what others have put on the queue, until a signal. */
export async function worker({ host, options, screen, signal }: SubcommandContext): Promise<number> {
  const { queueService, environment } = host;
  if (queueService === undefined) throw new UsageError('This build of aisec has no queue.');
  const { slots = STANDARD_SLOTS, requestsPerSecond, graceSeconds = STANDARD_GRACE_SECONDS, quiet } = options;
  if (slots < 1) throw new UsageError('A worker needs a slot.', { hint: 'Use --slots 1 or more.' });
  const profiles = await otherProfiles(options, environment, signal);
  // A stop while the settings file, a named pipe, has no text yet.
  if (profiles === undefined) return 0;
  // A worker does the work itself.
  const { queue: _queue, ...ownWork } = startOptions(options, host);
  await queueService.work({
    client: ownWork,
    queue: neededQueue(options, environment),
    profiles,
    profile: namedProfile({ path: options.config, profile: options.profile, environment }) ?? '',
    slots,
    perSecond: requestsPerSecond,
    graceMs: graceSeconds * 1000,
    strict: options.strict,
    auditFile: options.audit,
    onReady: (tenants) => {
      if (quiet) return;
      const of = tenants.length === 1 ? '' : ` of ${plural(tenants.length, 'tenant')}`;
      screen.note(`The worker waits for work${of}: ${plural(slots, 'slot')}. Ctrl-C stops it.`);
    },
    warn: (message) => screen.note(`warning: ${message}`),
    signal,
  });
  return 0;
}

/**
 * Returns the sections of the settings file, unless one was asked for: then it works for that one alone.
 * @returns undefined after a stop
 */
async function otherProfiles(
  options: Options,
  environment: Environment,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const request = { path: options.config, profile: options.profile, environment, signal };
  if (options.simulate || namedProfile(request) !== undefined) return [];
  const found = await readSections(request).catch((thrown: unknown) => {
    if (thrown instanceof CancelledError) return 'stopped' as const;
    throw thrown;
  });
  if (found === 'stopped') return undefined;
  return (found?.sections ?? []).map(({ name }) => name);
}
