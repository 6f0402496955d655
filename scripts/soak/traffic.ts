/** Generates traffic: concurrent war rooms that run one command after the other; some commands are stopped. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import type { Stop } from '../../lib/core/ports.ts';
import type { Runtime } from '../../lib/core/runtime.ts';
import { newStop } from '../../lib/core/stop.ts';
import { dispatch } from '../../lib/engine/dispatch.ts';
import type { Format } from '../../lib/hosts/terminal/options/options.ts';
import { measureFor } from '../../lib/hosts/terminal/render/measure.ts';
import { renderResult } from '../../lib/hosts/terminal/render/results.ts';
import { PLAIN } from '../../lib/hosts/terminal/render/style.ts';
import { mergeContext } from '../../lib/output/merge.ts';
import type { Outcomes } from './outcomes.ts';
import { type LineSequence, lineFor } from './workload.ts';

/** Parts of one line. */
export interface RoomOptions {
  readonly random: () => number;
  /** Creates the runtime of one command. @param context outputs of earlier commands @param stop stops this command only */
  readonly runtime: (context: Readonly<Record<string, unknown>>, stop: Stop) => Promise<Runtime>;
  readonly outcomes: Outcomes;
}

/** Number of sequences in one war room. */
const SEQUENCES_IN_ROOM = 25;
const STOPPED_SHARE = 0.04;
const MAX_BEFORE_STOP_MS = 300;
const FORMATS: readonly Format[] = ['table', 'json', 'jsonl', 'context', 'entry', 'markdown'];

/**
 * Starts traffic with empty war rooms.
 * @param commands number of concurrent commands
 * @param next returns the next lines
 * @returns a function that starts no more commands, waits until all have ended or the time is over, and returns the lines that
 *   still run, the oldest first
 */
export function startTraffic(commands: number, next: () => LineSequence, options: RoomOptions) {
  const pending = new Map<symbol, string>();
  let open = true;
  const runRoom = async () => {
    let context: Readonly<Record<string, unknown>> = {};
    for (let count = 0; count < SEQUENCES_IN_ROOM && open; count += 1) {
      for (const line of next()) {
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
  };
  const rooms = Array.from({ length: commands }, async () => {
    while (open) await runRoom();
  });
  return async (milliseconds: number): Promise<string[]> => {
    open = false;
    await Promise.race([Promise.all(rooms), sleep(milliseconds, undefined, { ref: false })]);
    return [...pending.values()];
  };
}

/**
 * Runs each command that has not succeeded yet, alone. Under load some commands almost never succeed, because others delete or
 * change what they need; after it all of them do.
 * @param longestMs enough for several renewals of the service
 * @param pauseMs time between attempts
 * @returns names of commands that did not succeed
 */
export async function runTheRestAlone(options: RoomOptions, longestMs: number, pauseMs: number): Promise<string[]> {
  const missing = () => Object.keys(registry).filter((name) => !options.outcomes.succeeded.has(name));
  const end = performance.now() + longestMs;
  // No name of the traffic has so high a number.
  for (let number = 1_000_000; missing().length > 0 && performance.now() < end; number += 1) {
    for (const name of missing()) await runOne(lineFor(name, number), {}, options);
    await sleep(pauseMs);
  }
  return missing();
}

/** Runs one line and renders its result as a host does. @returns undefined if it threw */
async function runOne(line: string, context: Readonly<Record<string, unknown>>, options: RoomOptions) {
  const { random, runtime, outcomes } = options;
  const format = FORMATS[Math.floor(random() * FORMATS.length)] ?? 'table';
  const stopper = newStop();
  let stopped: number | undefined;
  const stopNow = () => {
    stopped = performance.now();
    stopper.now();
  };
  const timer = random() < STOPPED_SHARE ? setTimeout(stopNow, random() * MAX_BEFORE_STOP_MS) : undefined;
  const note = (thrown: unknown) => {
    const [, name = ''] = /^!(\S+)/.exec(line) ?? [];
    outcomes.note({ name, line, thrown, afterStopMs: stopped && performance.now() - stopped });
  };
  try {
    const streaming = format === 'jsonl' ? { stream: () => undefined } : {};
    const own = await runtime(context, stopper.stop);
    const result = await dispatch(parseLine(line), registry, { ...own, ...streaming });
    const measure = await measureFor(format === 'table' ? result.readable : '');
    await renderResult(result, format, { terminal: false, width: 120, style: PLAIN, measure });
    note(result.failure);
    return result;
  } catch (thrown) {
    note(thrown);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
