/** Checks that a network channel is ONLINE, which scripts require. */
import {
  type Api,
  asText,
  type JsonObject,
  NotFoundError,
  networkBroker,
  PreconditionError,
  path,
  toAisecError,
} from '../../lib/runtime/engine/declare.ts';

/** Path of a network channel. */
export const channel = (id: string) => path`/v1/channels/${id}`;

/**
 * Checks the channel before a script runs. A client may use channels that it may not read, so a refused read only adds
 * a note. @param id not a string if the resource has no channel; the service then decides
 * @throws PreconditionError, NotFoundError
 */
export async function refuseUnlessOnline(api: Api, id: unknown, note: (sentence: string) => void): Promise<void> {
  if (typeof id !== 'string') return;
  const { name, status } = await api.fetch(networkBroker.get(channel(id))).catch((thrown: unknown): JsonObject => {
    if (thrown instanceof NotFoundError) throw missing(id);
    note(`The state of the network channel could not be read: ${toAisecError(thrown).message}`);
    return {};
  });
  if (status === undefined || status === null || status === 'ONLINE') return;
  throw new PreconditionError(`The network channel ${asText(name ?? id)} is ${asText(status)}, not ONLINE.`, {
    hint: 'Start its client and check with !aisec-redteam-network-channels-get, or add validate=false where the command has it.',
    argument: 'network_broker_channel_uuid',
  });
}

function missing(id: string): NotFoundError {
  return new NotFoundError(`There is no network channel ${id}.`, {
    hint: 'List the channels with !aisec-redteam-network-channels-list.',
    argument: 'network_broker_channel_uuid',
    status: 404,
  });
}
