/** So many war rooms at once, each running one command after the other; now and then somebody stops one. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { dispatch } from '../../lib/dispatch.ts';
import { measureFor } from '../../lib/hosts/terminal/measure.ts';
import type { Format } from '../../lib/hosts/terminal/options.ts';
import { renderResult } from '../../lib/hosts/terminal/results.ts';
import { PLAIN } from '../../lib/hosts/terminal/style.ts';
import { mergeContext } from '../../lib/output/merge.ts';
import type { Result } from '../../lib/result.ts';
import type { Runtime } from '../../lib/runtime.ts';
import type { Desk } from './desk.ts';
import type { Turn } from './mix.ts';
import type { Outcomes } from './outcomes.ts';

export interface TrafficOptions {
  /** Commands at once. */
  readonly commands: number;
  /** What is run next. */
  readonly next: () => Turn;
  readonly chance: () => number;
  readonly desk: Desk;
  readonly outcomes: Outcomes;
}

export interface Traffic {
  /**
   * Begins nothing more, until all of it has ended or the time is over.
   * @returns lines that are still under way, the oldest first
   */
  end(milliseconds: number): Promise<string[]>;
}

/** A war room is left after so many turns. */
const TURNS_IN_ROOM = 25;
const STOPPED_SHARE = 0.04;
const LONGEST_BEFORE_STOP_MS = 300;
const FORMATS: readonly Format[] = ['table', 'json', 'jsonl', 'context', 'entry', 'markdown'];

/** Begins at once, with empty war rooms. */
export function startTraffic(options: TrafficOptions): Traffic {
  const underWay = new Map<symbol, string>();
  let open = true;
  const rooms = Array.from({ length: options.commands }, async () => {
    while (open) await stayInRoom(options, underWay, () => open);
  });
  return {
    async end(milliseconds) {
      open = false;
      const waiting = new AbortController();
      const late = sleep(milliseconds, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([Promise.all(rooms), late]);
      waiting.abort();
      return [...underWay.values()];
    },
  };
}

async function stayInRoom(options: TrafficOptions, underWay: Map<symbol, string>, isOpen: () => boolean) {
  let context: Readonly<Record<string, unknown>> = {};
  for (let turns = 0; turns < TURNS_IN_ROOM && isOpen(); turns += 1) {
    for (const line of options.next()) {
      // What fails before it waits for anything must not keep the others, and the clock, from their turn.
      await turn();
      const key = Symbol('command');
      underWay.set(key, line);
      const result = await runOne(line, context, options);
      underWay.delete(key);
      if (result === undefined || result.failure !== undefined) break;
      context = mergeContext(context, result.writes);
    }
  }
}

async function runOne(line: string, context: Readonly<Record<string, unknown>>, options: TrafficOptions) {
  const { chance, desk } = options;
  const format = FORMATS[Math.floor(chance() * FORMATS.length)] ?? 'table';
  if (chance() >= STOPPED_SHARE) return shown(line, format, desk.runtime(context), options, () => undefined);
  const stop = new AbortController();
  const { runtime, close } = await desk.own(context, stop.signal);
  let stopped: number | undefined;
  const timer = setTimeout(() => {
    stopped = performance.now();
    stop.abort();
  }, chance() * LONGEST_BEFORE_STOP_MS);
  try {
    return await shown(line, format, runtime, options, () => stopped && performance.now() - stopped);
  } finally {
    clearTimeout(timer);
    await close();
  }
}

/** Runs one line to its end and writes its result as a host would. @returns undefined when it failed */
async function shown(
  line: string,
  format: Format,
  runtime: Runtime,
  { outcomes }: TrafficOptions,
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
