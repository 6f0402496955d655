/** Monitors this process: retained memory, open sockets and files, event-loop delay. */
import { readdirSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

export interface Sample {
  /** Since the start. */
  seconds: number;
  /** Memory in MB (10⁶ bytes). */
  heap: number;
  outside: number;
  rss: number;
  sockets: number;
  /** Open file descriptors, sockets included; 0 if unknown. */
  descriptors: number;
}

export interface Monitor {
  sample(): Promise<Sample>;
  /** Maximum of sockets, sampled 20 times a second. */
  mostSockets(): number;
  /** Event-loop delay in milliseconds, without the forced collections. */
  loopDelay(percentile: number): number;
  /** Unhandled rejections, exceptions and warnings, each once. */
  readonly processErrors: readonly string[];
  stop(): void;
}

const INTERVAL_MS = 50;

/** Starts monitoring. @throws Error without `--expose-gc` */
export function monitorProcess(): Monitor {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('Run it with --expose-gc.');
  const started = performance.now();
  const late = createHistogram();
  const processErrors = collectProcessErrors();
  let most = 0;
  let due = performance.now() + INTERVAL_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    late.record(Math.max(1, Math.round((now - due) * 1000)));
    due = now + INTERVAL_MS;
    most = Math.max(most, openSockets());
  }, INTERVAL_MS);
  return {
    async sample() {
      // The second collection frees what finalizers of the first one released.
      collect();
      await turn();
      collect();
      due = performance.now() + INTERVAL_MS;
      timer.refresh();
      const { heapUsed, external, rss } = process.memoryUsage();
      return {
        seconds: (performance.now() - started) / 1000,
        heap: heapUsed / 1e6,
        outside: external / 1e6,
        rss: rss / 1e6,
        sockets: openSockets(),
        descriptors: openDescriptors(),
      };
    },
    mostSockets: () => most,
    loopDelay: (percentile) => late.percentile(percentile) / 1000,
    processErrors,
    stop: () => clearInterval(timer),
  };
}

/** Counts the open connections of the process. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'TLSSocketWrap').length;
}

export function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

function collectProcessErrors(): string[] {
  const processErrors = new Set<string>();
  const list: string[] = [];
  const note = (what: string) => (thrown: unknown) => {
    const text = `${what}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
    if (processErrors.has(text)) return;
    processErrors.add(text);
    list.push(text);
  };
  process.on('unhandledRejection', note('unhandled rejection'));
  process.on('uncaughtException', note('uncaught exception'));
  process.on('warning', note('warning'));
  return list;
}
