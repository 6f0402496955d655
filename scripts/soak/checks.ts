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

export interface Trend {
  /** MB. */
  readonly median: number;
  /** Growth in MB over the second half, from the slope of a linear fit; negative if it shrinks. */
  readonly growth: number;
}

/** Computes the trend of one figure over the second half of a run. */
export function trendOf(samples: readonly Sample[], figure: 'heap' | 'rss'): Trend {
  const half = secondHalf(samples);
  const end = half.at(-1)?.seconds ?? 0;
  const values = half.map((sample) => sample[figure]).sort((a, b) => a - b);
  const median = values[Math.floor(values.length / 2)] ?? 0;
  const first = half[0]?.seconds ?? 0;
  return { median, growth: slopeOf(half.map((sample) => [sample.seconds, sample[figure]])) * (end - first) };
}

function secondHalf(samples: readonly Sample[]): Sample[] {
  const end = samples.at(-1)?.seconds ?? 0;
  return samples.filter(({ seconds }) => seconds >= end / 2);
}

/** Fits a line by least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const below = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** Checks a run. @returns a sentence for each failed check */
export function failedChecks(evidence: Measurements): string[] {
  const { samples, commandsAtOnce, mostSockets, socketsLeft, descriptorsLeft, slowestStop, loopDelayMs } = evidence;
  const stopBound = LIMITS.stop.milliseconds + LIMITS.stop.turns * loopDelayMs;
  const socketBound = commandsAtOnce * LIMITS.socketsPerCommand;
  const count = secondHalf(samples).length;
  return [
    ...unless(count >= FEWEST_SAMPLES, `${count} memory samples in the second half are too few for a trend.`),
    ...grown('heap', 'The heap', samples),
    ...grown('rss', 'The memory of the process', samples),
    ...unless(mostSockets <= socketBound, `There were ${mostSockets} connections at once; ${socketBound} are allowed.`),
    ...unless(socketsLeft === 0, `${socketsLeft} connections were open after everything was closed.`),
    ...unless(descriptorsLeft <= 0, `${descriptorsLeft} descriptors were open after everything was closed.`),
    ...unless(
      slowestStop.ms <= stopBound,
      `${slowestStop.line} took ${Math.round(slowestStop.ms)} ms to end when it was stopped; ${Math.round(stopBound)} are allowed.`,
    ),
    ...each('Left behind', evidence.leftovers),
    ...each('Process error', evidence.processErrors),
    ...each('Unexpected', evidence.unexpected),
    ...each('Never ended', evidence.hanging),
    ...each('Never succeeded', evidence.neverSucceeded),
  ];
}

function grown(figure: 'heap' | 'rss', title: string, samples: readonly Sample[]): string[] {
  const { median, growth: slope } = trendOf(samples, figure);
  // The allocator holds some tens of MB for a while: real growth also raises the lowest sample.
  const growth = figure === 'rss' ? Math.min(slope, riseOfLowest(samples)) : slope;
  const bound = Math.max(median * LIMITS[figure].share, LIMITS[figure].megabytes);
  const [grew, allowed] = [growth.toFixed(1), bound.toFixed(1)];
  return unless(growth <= bound, `${title} grew by ${grew} MB over the second half; ${allowed} MB are allowed.`);
}

/** Returns by how many MB the least memory of the second half is above that of the first one. */
function riseOfLowest(samples: readonly Sample[]): number {
  const half = secondHalf(samples);
  const lowest = (some: readonly Sample[]) => some.reduce((least, { rss }) => Math.min(least, rss), Number.MAX_VALUE);
  return lowest(half) - lowest(samples.slice(0, samples.length - half.length));
}

function unless(isWell: boolean, sentence: string): string[] {
  return isWell ? [] : [sentence];
}

const MAX_SHOWN = 10;

function each(what: string, found: readonly string[]): string[] {
  const more = found.length > MAX_SHOWN ? [`${what}: ${found.length - MAX_SHOWN} more.`] : [];
  return [...found.slice(0, MAX_SHOWN).map((one) => `${what}: ${one}`), ...more];
}
