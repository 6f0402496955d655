/** Uncertainty of attack success rates: their interval, and whether a difference may be due to chance. */

import { numberOf } from '../../core/received.ts';
import { figure } from './format.ts';
import { wilson } from './interval.ts';

/** A difference with a p-value above this is within chance. */
export const LEVEL = 0.05;

/** Bounds of a rate at 95 % confidence, in percent. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** Number of trials that the rate was measured with. */
  readonly trials: number;
}

/**
 * Computes the interval of a rate in percent. @returns undefined without trials, or if the counts are not part of a
 * whole
 */
export function rateInterval(hits: number, trials: number): Interval | undefined {
  const share = wilson(hits, trials);
  return share === undefined ? undefined : { low: share.low * 100, high: share.high * 100, trials };
}

/** Reports whether a value is a share in percent. */
export function isPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100;
}

/** The counts of a scan. */
export interface Counted {
  readonly hits: number;
  /** Hits that the rate certainly counts. Default: all. */
  readonly sure?: number;
  readonly trials: number;
  /** The rate counts attempts of these same trials, so it cannot be far above their share. */
  readonly isSame: boolean;
}

/**
 * The rate counts attempts, while the list counts attacks, and attacks differ in their number of attempts: so a rate
 * may be this many times below the attacks' mean rate, or above the share of successful attacks.
 */
export const SLACK = 2;

/** Reports whether a rate is impossible as a percentage, or does not fit these counts. */
export function isContradicted(rate: number, counted?: Counted): boolean {
  if (!isPercent(rate)) return true;
  if (counted === undefined || !(counted.trials > 0)) return false;
  const { hits, sure = hits, trials, isSame } = counted;
  const share = (100 * hits) / trials;
  if (isSame && rate > share * SLACK) return true;
  return rate === 0 ? sure > 0 : hits <= 0 || (rate >= 100 && share < 100);
}

/** Rounding of the service: two decimals of a percentage. */
const ROUNDING = 0.005 + 1e-9;

/**
 * Computes the interval of a rate that the service sent. @param rate in percent
 * @param trials number of attacks, streams or prompts of the scan
 * @returns undefined if the rate cannot be a share of these trials: the service then counts something else
 */
export function intervalOf(rate: number | undefined, trials: number | undefined): Interval | undefined {
  if (rate === undefined || trials === undefined || !Number.isInteger(trials)) return undefined;
  const hits = Math.round((rate / 100) * trials);
  const exact = (hits / trials) * 100;
  return Math.abs(exact - rate) <= ROUNDING ? rateInterval(hits, trials) : undefined;
}

interface Rated {
  readonly asr?: unknown;
  readonly completed?: unknown;
  readonly total?: unknown;
}

/** Computes the interval of a scan's rate, from the number of attacks, streams or prompts that it ran. */
export function scanInterval({ asr, completed, total }: Rated): Interval | undefined {
  return intervalOf(numberOf(asr), numberOf(completed) ?? numberOf(total));
}

/** Formats an interval as `16.6–41 %`. */
export function intervalText({ low, high }: Interval): string {
  const [from, to] = [low, high].map((bound) => figure(Number(bound.toFixed(1))));
  return `${from}–${to} %`;
}

/** Writes an interval for programs, in percent with two decimals; null if unknown. */
export function intervalJson(interval: Interval | undefined) {
  if (interval === undefined) return null;
  const [low, high] = [interval.low, interval.high].map((bound) => Number(bound.toFixed(2)));
  return { low, high };
}

/** Outcome of a test of the difference between two rates. */
export interface Chance {
  readonly test: string;
  /** Probability of a difference at least as large if nothing had changed. */
  readonly p: number;
  /** The difference may be due to chance. */
  readonly within: boolean;
}

/**
 * Tests attacks that both scans ran, using the attacks whose outcome changed.
 * @param worse withstood before, successful now @param better successful before, withstood now
 */
export function pairedChance(worse: number, better: number): Chance {
  const changed = worse + better;
  const logs = logFactorials(changed);
  const few = Math.min(worse, better);
  let tail = 0;
  for (let count = 0; count <= few; count += 1) tail += Math.exp(logChoose(logs, changed, count) - changed * Math.LN2);
  return chance('exact McNemar test', 2 * tail);
}

export interface Counts {
  readonly hits: number;
  readonly trials: number;
}

/** Tests scans that ran different attacks, using their numbers of successful attacks. */
export function unpairedChance(before: Counts, after: Counts): Chance {
  const trials = before.trials + after.trials;
  const hits = before.hits + after.hits;
  const logs = logFactorials(trials);
  const logOf = (first: number) =>
    logChoose(logs, before.trials, first) + logChoose(logs, after.trials, hits - first) - logChoose(logs, trials, hits);
  const observed = logOf(before.hits);
  let sum = 0;
  const last = Math.min(hits, before.trials);
  for (let first = Math.max(0, hits - after.trials); first <= last; first += 1) {
    const log = logOf(first);
    // Equally likely outcomes differ in their last digits.
    if (log <= observed + 1e-7) sum += Math.exp(log);
  }
  return chance("Fisher's exact test", sum);
}

function chance(test: string, probability: number): Chance {
  // Sums of many terms differ from 1 in their last digits.
  const p = Math.min(1, Number(probability.toPrecision(10)));
  return { test, p, within: p >= LEVEL };
}

function logFactorials(most: number): readonly number[] {
  const logs = [0];
  for (let number = 1; number <= most; number += 1) logs.push((logs[number - 1] ?? 0) + Math.log(number));
  return logs;
}

function logChoose(logs: readonly number[], all: number, chosen: number): number {
  return (logs[all] ?? 0) - (logs[chosen] ?? 0) - (logs[all - chosen] ?? 0);
}

/** Formats a p-value: `p = 0.0213`, `p < 0.0001`. */
export function probabilityText(p: number): string {
  return p < 0.0001 ? 'p < 0.0001' : `p = ${Number(p.toPrecision(2))}`;
}
