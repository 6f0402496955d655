/** Stops the jobs of a worker on demand. */
import { keyOf, STOPS } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import type { CurrentJobs } from './current.ts';

export interface Stops {
  /** Checks for stops whose message was lost. */
  look(): Promise<void>;
  close(): void;
}

/** Listens for stops. */
export async function listenForStops(link: RedisLink, current: CurrentJobs): Promise<Stops> {
  const subscriber = await link.subscriber();
  subscriber.on('message', (_, id: string) => current.stop(id));
  await subscriber.subscribe(STOPS);
  return {
    look: async () => {
      for (const id of current.ids()) {
        if ((await link.client.exists(keyOf.stopped(id))) > 0) current.stop(id);
      }
    },
    close: () => subscriber.disconnect(),
  };
}
