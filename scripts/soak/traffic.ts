/** Generates traffic: concurrent war rooms that run one command after the other; some commands are stopped. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import type { Runtime } from '../../lib/core/runtime.ts';
import { newStop } from '../../lib/core/stop.ts';
import { dispatch } from '../../lib/engine/dispatch.ts';
import type { Format } from '../../lib/hosts/terminal/options/options.ts';
import { measureFor } from '../../lib/hosts/terminal/render/measure.ts';
import { renderResult } from '../../lib/hosts/terminal/render/results.ts';
import { PLAIN } from '../../lib/hosts/terminal/render/style.ts';
import { mergeContext } from '../../lib/output/merge.ts';
import type { Result } from '../../lib/output/result.ts';
import type { Outcomes } from './outcomes.ts';
import type { SoakSession } from './session.ts';
import { type LineSequence, lineFor } from './workload.ts';

/** What one line needs. */
export interface RoomOptions {
  readonly random: () => number;
  readonly session: SoakSession;
  readonly outcomes: Outcomes;
}

export interface TrafficOptions extends RoomOptions {
  /** Number of concurrent commands. */
  readonly commands: number;
  /** Returns the next lines. */
  readonly next: () => LineSequence;
}

export interface Traffic {
  /**
   * Starts no more commands, and waits until all have ended or the time is over.
   * @returns lines that still run, the oldest first
   */
  end(milliseconds: number): Promise<string[]>;
}

/** Number of sequences in one war room. */
const SEQUENCES_IN_ROOM = 25;
const STOPPED_SHARE = 0.04;
const MAX_BEFORE_STOP_MS = 300;
const FORMATS: readonly Format[] = ['table', 'json', 'jsonl', 'context', 'entry', 'markdown'];

/** Starts traffic with empty war rooms. */
export function startTraffic(options: TrafficOptions): Traffic {
  const pending = new Map<symbol, string>();
  let open = true;
  const rooms = Array.from({ length: options.commands }, async () => {
    while (open) await runRoom(options, pending, () => open);
  });
  return {
    async end(milliseconds) {
      open = false;
      const waiting = new AbortController();
      const late = sleep(milliseconds, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([Promise.all(rooms), late]);
      waiting.abort();
      return [...pending.values()];
    },
  };
}

/**
 * Runs each command that has not succeeded yet, alone. Under load some commands almost never succeed, because others delete or
 * change what they need; after it all of them do.
 * @param options.longestMs enough for several renewals of the service
 * @param options.pauseMs time between attempts
 * @returns names of commands that did not succeed
 */
export async function runTheRestAlone(
  options: RoomOptions & { readonly longestMs: number; readonly pauseMs: number },
): Promise<string[]> {
  const { outcomes, longestMs, pauseMs } = options;
  const missing = () => Object.keys(registry).filter((name) => !outcomes.succeeded.has(name));
  const end = performance.now() + longestMs;
  // No name of the traffic has so high a number.
  for (let number = 1_000_000; missing().length > 0 && performance.now() < end; number += 1) {
    for (const name of missing()) await runOne(lineFor(name, number), {}, options);
    await sleep(pauseMs);
  }
  return missing();
}

async function runRoom(options: TrafficOptions, pending: Map<symbol, string>, isOpen: () => boolean) {
  let context: Readonly<Record<string, unknown>> = {};
  for (let count = 0; count < SEQUENCES_IN_ROOM && isOpen(); count += 1) {
    for (const line of options.next()) {
      // Yields, because commands that fail synchronously would starve the event loop.
      await turn();
      const key = Symbol('command');
      pending.set(key, line);
      const result = await runOne(line, context, options);
      pending.delete(key);
      if (result === undefined || result.failure !== undefined) break;
      context = mergeContext(context, result.writes);
    }
  }
}

async function runOne(line: string, context: Readonly<Record<string, unknown>>, options: RoomOptions) {
  const { random, session } = options;
  const format = FORMATS[Math.floor(random() * FORMATS.length)] ?? 'table';
  if (random() >= STOPPED_SHARE) return shown(line, format, await session.runtime(context), options, () => undefined);
  const stopper = newStop();
  const runtime = await session.runtime(context, stopper.stop);
  let stopped: number | undefined;
  const timer = setTimeout(() => {
    stopped = performance.now();
    stopper.now();
  }, random() * MAX_BEFORE_STOP_MS);
  try {
    return await shown(line, format, runtime, options, () => stopped && performance.now() - stopped);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs one line and renders its result as a host does. @returns undefined if it failed */
async function shown(
  line: string,
  format: Format,
  runtime: Runtime,
  { outcomes }: RoomOptions,
  afterStopMs: () => number | undefined,
): Promise<Result | undefined> {
  const name = /^!(\S+)/.exec(line)?.[1] ?? '';
  const streaming = format === 'jsonl' ? { stream: () => undefined } : {};
  try {
    const result = await dispatch(parseLine(line), registry, { ...runtime, ...streaming });
    const measure = await measureFor(format === 'table' ? result.readable : '');
    await renderResult(result, format, { terminal: false, width: 120, style: PLAIN, measure });
    outcomes.note({ name, line, result, afterStopMs: afterStopMs() });
    return result;
  } catch (thrown) {
    outcomes.note({ name, line, thrown, afterStopMs: afterStopMs() });
    return undefined;
  }
}
