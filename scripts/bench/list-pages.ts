/** Fetches a list with the API client only: no process start, no rendering. */

import { management, redTeamManagement } from '../../lib/api/call.ts';
import { createApi } from '../../lib/api/create.ts';
import { path } from '../../lib/api/path.ts';
import { PAGES_AT_ONCE } from '../../lib/client/program.ts';
import { runtimeOf } from '../../lib/client/runtime.ts';
import type { Runtime } from '../../lib/engine/runtime.ts';
import { resolveSettings } from '../../lib/settings/settings.ts';
import { nodeTransport } from '../../lib/transport/node.ts';

export { PAGES_AT_ONCE };

const nothing = () => Promise.reject(new Error('no files here'));

const LISTS = {
  /** The service reports the offset of the next page. */
  offset: (limit: number) => management.list(path`/v1/mgmt/topics/tsg/1`, { items: 'custom_topics', limit }),
  /** The service reports the total. */
  skip: (limit: number) => redTeamManagement.list(path`/v1/target`, { items: 'data', limit }),
};

/** Opens a client that keeps its connections and token, as a session does. */
export function openLists(environment: Readonly<Record<string, string>>) {
  const transport = nodeTransport({ insecure: false, proxy: false });
  let kept: Readonly<Record<string, string>> | undefined;
  const runtime: Runtime = runtimeOf({
    settings: resolveSettings({ environment }).settings,
    transport,
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      random: () => 0.5,
      wait: () => Promise.resolve(),
    },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    tokens: {
      read: () => kept,
      write: (entry) => {
        kept = entry;
      },
    },
    files: { find: nothing, read: nothing, create: nothing, journal: nothing },
    context: {},
    advice: { settings: '', time: '', commands: '' },
  });
  return {
    /** Fetches a list. @returns milliseconds */
    async time(kind: keyof typeof LISTS, limit: number, pagesAtOnce: number): Promise<number> {
      const start = process.hrtime.bigint();
      const { count } = await createApi({ ...runtime, pageConcurrency: pagesAtOnce }, { effect: 'read' }).list(
        LISTS[kind](limit),
      );
      if (count !== limit) throw new Error(`received ${count} of ${limit} records`);
      return Number(process.hrtime.bigint() - start) / 1e6;
    },
    close: () => transport.close(),
  };
}
