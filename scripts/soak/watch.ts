/** Watches this process: memory that is still held after a collection, open sockets and files, how late the event loop is. */
import { readdirSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

export interface Sample {
  /** Since the beginning. */
  seconds: number;
  /** MB (10⁶ bytes), each. */
  heap: number;
  outside: number;
  rss: number;
  sockets: number;
  /** Open file descriptors, sockets included; 0 where the system does not say. */
  descriptors: number;
}

export interface Watch {
  sample(): Promise<Sample>;
  /** Most sockets at any look, 20 a second. */
  mostSockets(): number;
  /** How late a timer is, in milliseconds, without the collections that are made here. */
  lateness(percentile: number): number;
  /** What should never happen, in words, each once. */
  readonly trouble: readonly string[];
  stop(): void;
}

const LOOK_MS = 50;

/** @throws Error where the collector cannot be called: Node needs --expose-gc */
export function watchProcess(): Watch {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('Run it with --expose-gc.');
  const started = performance.now();
  const late = createHistogram();
  const trouble = collectTrouble();
  let most = 0;
  let due = performance.now() + LOOK_MS;
  const look = setInterval(() => {
    const now = performance.now();
    late.record(Math.max(1, Math.round((now - due) * 1000)));
    due = now + LOOK_MS;
    most = Math.max(most, openSockets());
  }, LOOK_MS);
  return {
    async sample() {
      // Once for what is free, and once for what was kept for it.
      collect();
      await turn();
      collect();
      due = performance.now() + LOOK_MS;
      look.refresh();
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
    lateness: (percentile) => late.percentile(percentile) / 1000,
    trouble,
    stop: () => clearInterval(look),
  };
}

/** Connections that the process has open. */
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

function collectTrouble(): string[] {
  const trouble = new Set<string>();
  const list: string[] = [];
  const note = (what: string) => (thrown: unknown) => {
    const text = `${what}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
    if (trouble.has(text)) return;
    trouble.add(text);
    list.push(text);
  };
  process.on('unhandledRejection', note('a rejection that nobody handled'));
  process.on('uncaughtException', note('an exception that nobody caught'));
  process.on('warning', note('a warning of the process'));
  return list;
}
