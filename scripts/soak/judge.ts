/** What a run has to keep to, and what it did not. */
import type { Sample } from './watch.ts';

export interface Evidence {
  readonly commandsAtOnce: number;
  /** Taken while next to nothing ran. */
  readonly samples: readonly Sample[];
  readonly mostSockets: number;
  /** After everything was closed. */
  readonly socketsLeft: number;
  /** Descriptors that are open after everything was closed and were not before it began. */
  readonly descriptorsLeft: number;
  readonly leftBehind: readonly string[];
  readonly trouble: readonly string[];
  readonly unexpected: readonly string[];
  /** Lines that had not ended when the time for that was over. */
  readonly hanging: readonly string[];
  /** Commands that were run often and never ended well. */
  readonly neverWell: readonly string[];
  readonly slowestStop: { readonly line: string; readonly ms: number };
  /** How late the event loop was, at the 99th percentile, in milliseconds. */
  readonly latenessMs: number;
}

export const BOUNDS = {
  /** Growth over the second half, as a share of its median; so many MB are always allowed: the few that still run hold some. */
  heap: { share: 0.05, megabytes: 4 },
  rss: { share: 0.1, megabytes: 20 },
  /** Connections for each command at once: a bulk scan has up to eight requests under way. */
  socketsPerCommand: 2,
  /** A bulk scan that is stopped takes some dozens of steps on the disk, each of them a turn of a loop that others use too. */
  stop: { milliseconds: 2000, turns: 50 },
} as const;

/** A line through fewer points says nothing. */
const FEWEST = 3;

export interface Trend {
  /** MB. */
  readonly median: number;
  /** By the slope of a straight line through the second half, over all of it; MB, negative when it shrinks. */
  readonly growth: number;
}

/** How one figure went over the second half of a run. */
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

/** Least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const below = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** What is wrong, as sentences; none when the run is passed. */
export function judge(evidence: Evidence): string[] {
  const { samples, commandsAtOnce, mostSockets, socketsLeft, descriptorsLeft, slowestStop, latenessMs } = evidence;
  const stopBound = BOUNDS.stop.milliseconds + BOUNDS.stop.turns * latenessMs;
  const socketBound = commandsAtOnce * BOUNDS.socketsPerCommand;
  const looks = secondHalf(samples).length;
  return [
    ...unless(looks >= FEWEST, `${looks} looks at the memory in the second half are too few to tell how it went.`),
    ...grown('heap', 'The heap', samples),
    ...grown('rss', 'The memory of the process', samples),
    ...unless(mostSockets <= socketBound, `There were ${mostSockets} connections at once; ${socketBound} are allowed.`),
    ...unless(socketsLeft === 0, `${socketsLeft} connections were open after everything was closed.`),
    ...unless(descriptorsLeft <= 0, `${descriptorsLeft} descriptors were open after everything was closed.`),
    ...unless(
      slowestStop.ms <= stopBound,
      `${slowestStop.line} took ${Math.round(slowestStop.ms)} ms to end when it was stopped; ${Math.round(stopBound)} are allowed.`,
    ),
    ...each('Left behind', evidence.leftBehind),
    ...each('Trouble', evidence.trouble),
    ...each('Unexpected', evidence.unexpected),
    ...each('Never ended', evidence.hanging),
    ...each('Never ended well', evidence.neverWell),
  ];
}

function grown(figure: 'heap' | 'rss', title: string, samples: readonly Sample[]): string[] {
  const { median, growth } = trendOf(samples, figure);
  const bound = Math.max(median * BOUNDS[figure].share, BOUNDS[figure].megabytes);
  const [grew, allowed] = [growth.toFixed(1), bound.toFixed(1)];
  return unless(growth <= bound, `${title} grew by ${grew} MB over the second half; ${allowed} MB are allowed.`);
}

function unless(isWell: boolean, sentence: string): string[] {
  return isWell ? [] : [sentence];
}

const MOST_SHOWN = 10;

function each(what: string, found: readonly string[]): string[] {
  const more = found.length > MOST_SHOWN ? [`${what}: ${found.length - MOST_SHOWN} more.`] : [];
  return [...found.slice(0, MOST_SHOWN).map((one) => `${what}: ${one}`), ...more];
}
