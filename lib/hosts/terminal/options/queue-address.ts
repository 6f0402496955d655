import type { ClientOptions } from '../../../client/types.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Environment } from '../host.ts';
import type { Options } from './cli-options.ts';

export type QueueAddress = NonNullable<ClientOptions['queue']>;

/** Returns the queue that options or environment name; undefined: this process does all work itself. */
export function queueAddress({ queue }: Options, environment: Environment): QueueAddress | undefined {
  const url = queue ?? environment['AISEC_QUEUE_URL'] ?? '';
  return url === '' ? undefined : { url, key: environment['AISEC_QUEUE_KEY'] };
}

/** Returns the queue of a subcommand that requires a queue. @throws UsageError if no queue is named */
export function neededQueue(options: Options, environment: Environment): QueueAddress {
  const address = queueAddress(options, environment);
  if (address !== undefined) return address;
  throw new UsageError('The address of the queue is missing.', {
    hint: 'Add --queue redis://127.0.0.1:6379, or set AISEC_QUEUE_URL.',
  });
}
