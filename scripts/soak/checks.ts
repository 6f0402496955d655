/** Checks the measurements of a run against limits. */
import type { Sample } from './monitor.ts';

export interface Measurements {
  readonly commandsAtOnce: number;
  /** Taken during pauses. */
  readonly samples: readonly Sample[];
  readonly mostSockets: number;
  /** Open connections after everything was closed. */
  readonly socketsLeft: number;
  /** Additional open descriptors after everything was closed. */
  readonly descriptorsLeft: number;
  readonly leftovers: readonly string[];
  readonly processErrors: readonly string[];
  readonly unexpected: readonly string[];
  /** Lines that did not end in time. */
  readonly hanging: readonly string[];
  /** Commands that did not succeed even alone, after the load. */
  readonly neverSucceeded: readonly string[];
  readonly slowestStop: { readonly line: string; readonly ms: number };
  /** Event-loop delay, 99th percentile, in milliseconds. */
  readonly loopDelayMs: number;
}

export const LIMITS = {
  /** Maximum growth over the second half, as a share of its median; some MB are always allowed for commands that still run. */
  heap: { share: 0.05, megabytes: 4 },
  rss: { share: 0.1, megabytes: 20 },
  /** Maximum connections per concurrent command: a bulk scan has up to eight concurrent requests. */
  socketsPerCommand: 2,
  /** Time to stop: a bulk scan does dozens of disk operations after a stop, each a turn of a shared event loop. */
  stop: { milliseconds: 2000, turns: 50 },
} as const;

/** Minimum samples of a trend. */
const FEWEST_SAMPLES = 3;
const MAX_SHOWN = 10;

/** Checks a run. @returns a sentence for each failed check */
export function failedChecks(found: Measurements): string[] {
  const { samples, mostSockets, socketsLeft, descriptorsLeft, slowestStop } = found;
  const stopBound = LIMITS.stop.milliseconds + LIMITS.stop.turns * found.loopDelayMs;
  const socketBound = found.commandsAtOnce * LIMITS.socketsPerCommand;
  const heap = trendOf(samples, 'heap');
  const rss = trendOf(samples, 'rss');
  // The allocator holds some tens of MB for a while: real growth also raises the lowest sample.
  const rssGrowth = Math.min(rss.growth, riseOfLowest(samples));
  const count = secondHalf(samples).length;
  const checks: readonly (readonly [boolean, string])[] = [
    [count >= FEWEST_SAMPLES, `${count} memory samples in the second half are too few for a trend.`],
    grown('heap', 'The heap', heap),
    grown('rss', 'The memory of the process', { ...rss, growth: rssGrowth }),
    [mostSockets <= socketBound, `There were ${mostSockets} connections at once; ${socketBound} are allowed.`],
    [socketsLeft === 0, `${socketsLeft} connections were open after everything was closed.`],
    [descriptorsLeft <= 0, `${descriptorsLeft} descriptors were open after everything was closed.`],
    [
      slowestStop.ms <= stopBound,
      `${slowestStop.line} took ${Math.round(slowestStop.ms)} ms to end when it was stopped; ${Math.round(stopBound)} are allowed.`,
    ],
  ];
  return [
    ...checks.filter(([isWell]) => !isWell).map(([, sentence]) => sentence),
    ...each('Left behind', found.leftovers),
    ...each('Process error', found.processErrors),
    ...each('Unexpected', found.unexpected),
    ...each('Never ended', found.hanging),
    ...each('Never succeeded', found.neverSucceeded),
  ];
}

/** Computes the median (MB) of one figure over the second half of a run, and its growth (MB) by a linear fit. */
export function trendOf(samples: readonly Sample[], figure: 'heap' | 'rss') {
  const half = secondHalf(samples);
  const values = half.map((sample) => sample[figure]);
  const seconds = half.map((sample) => sample.seconds);
  const [middle, mean] = [average(seconds), average(values)];
  // Least squares.
  const above = half.reduce((sum, sample) => sum + (sample.seconds - middle) * (sample[figure] - mean), 0);
  const below = seconds.reduce((sum, second) => sum + (second - middle) ** 2, 0);
  const slope = below === 0 ? 0 : above / below;
  const median = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return { median, growth: slope * ((seconds.at(-1) ?? 0) - (seconds[0] ?? 0)) };
}

function secondHalf(samples: readonly Sample[]): Sample[] {
  const end = samples.at(-1)?.seconds ?? 0;
  return samples.filter(({ seconds }) => seconds >= end / 2);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns by how many MB the least memory of the second half is above that of the first one. */
function riseOfLowest(samples: readonly Sample[]): number {
  const half = secondHalf(samples);
  const lowest = (some: readonly Sample[]) => Math.min(...some.map(({ rss }) => rss));
  return lowest(half) - lowest(samples.slice(0, samples.length - half.length));
}

function grown(figure: 'heap' | 'rss', title: string, trend: ReturnType<typeof trendOf>): [boolean, string] {
  const bound = Math.max(trend.median * LIMITS[figure].share, LIMITS[figure].megabytes);
  const [grew, allowed] = [trend.growth.toFixed(1), bound.toFixed(1)];
  return [trend.growth <= bound, `${title} grew by ${grew} MB over the second half; ${allowed} MB are allowed.`];
}

function each(what: string, found: readonly string[]): string[] {
  const more = found.length > MAX_SHOWN ? [`${what}: ${found.length - MAX_SHOWN} more.`] : [];
  return [...found.slice(0, MAX_SHOWN).map((one) => `${what}: ${one}`), ...more];
}
