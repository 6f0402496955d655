/** Monitors this process: retained memory, open sockets and files, event-loop delay, and uncaught errors. */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

export interface Sample {
  /** Since the start. */
  seconds: number;
  /** Memory in MB (10⁶ bytes). */
  heap: number;
  rss: number;
}

const SOCKETS_MS = 50;
const DELAY_MS = 10;

/** Starts monitoring. @throws Error without `--expose-gc` */
export function monitorProcess() {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('Run it with --expose-gc.');
  const started = performance.now();
  const delay = monitorEventLoopDelay({ resolution: DELAY_MS });
  delay.enable();
  let mostSockets = 0;
  setInterval(() => {
    mostSockets = Math.max(mostSockets, openSockets());
  }, SOCKETS_MS);
  return {
    /** Unhandled rejections, exceptions and warnings, each once. */
    processErrors: collectProcessErrors(),
    mostSockets: () => mostSockets,
    /** Event-loop delay in milliseconds. */
    loopDelay: (percentile: number) => delay.percentile(percentile) / 1e6 - DELAY_MS,
    async sample(): Promise<Sample> {
      // The second collection frees what finalizers of the first one released.
      collect();
      await turn();
      collect();
      const { heapUsed, rss } = process.memoryUsage();
      return { seconds: (performance.now() - started) / 1000, heap: heapUsed / 1e6, rss: rss / 1e6 };
    },
  };
}

/** Counts the open connections of the process. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'TLSSocketWrap').length;
}

export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

function collectProcessErrors(): Set<string> {
  const found = new Set<string>();
  const note = (what: string) => (thrown: unknown) =>
    found.add(`${what}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
  process.on('unhandledRejection', note('unhandled rejection'));
  process.on('uncaughtException', note('uncaught exception'));
  process.on('warning', note('warning'));
  return found;
}
