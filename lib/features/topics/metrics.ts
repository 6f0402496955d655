/** The quality of a topic on labelled prompts. */
import { type Interval, wilson } from '../scans/interval.ts';
import type { Hit } from './hits.ts';
import type { Labelled } from './labelled.ts';

export interface Counts {
  readonly truePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
  readonly falsePositives: number;
  /** Prompts without an answer. */
  readonly unscanned: number;
}

export const METRICS = ['f1', 'tpr', 'tnr', 'precision'] as const;
export type Metric = (typeof METRICS)[number];

/** A share from 0 to 1 with its 95 % interval, or why it cannot be computed. */
export type Measured =
  | { readonly value: number; readonly interval: Interval; readonly part: number; readonly whole: number }
  | { readonly missing: string };

export function countsOf(rows: readonly Labelled[], hits: readonly Hit[]): Counts {
  const count = (expected: boolean, hit: boolean) =>
    rows.filter((row, at) => row.expected === expected && hits[at] === hit).length;
  return {
    truePositives: count(true, true),
    falseNegatives: count(true, false),
    trueNegatives: count(false, false),
    falsePositives: count(false, true),
    unscanned: hits.filter((hit) => typeof hit !== 'boolean').length,
  };
}

/**
 * Measures true positive rate, true negative rate, precision and F1. F1 grows with `J = TP / (TP + FP + FN)`, so its
 * interval is `F1 = 2 J / (1 + J)` at both ends of J's interval.
 */
export function metricsOf(counts: Counts): Readonly<Record<Metric, Measured>> {
  const { truePositives: tp, falseNegatives: fn, trueNegatives: tn, falsePositives: fp } = counts;
  const isOneSided = tp + fn === 0 ? NO_POSITIVE : tn + fp === 0 ? NO_NEGATIVE : undefined;
  const both = (measured: Measured): Measured => (isOneSided === undefined ? measured : { missing: isOneSided });
  return {
    f1: both(mapped(measured(tp, tp + fp + fn, NO_POSITIVE), (share) => (2 * share) / (1 + share))),
    tpr: measured(tp, tp + fn, NO_POSITIVE),
    tnr: measured(tn, tn + fp, NO_NEGATIVE),
    precision: both(measured(tp, tp + fp, 'No prompt matched the topic.')),
  };
}

export const NO_POSITIVE = 'No prompt with a verdict is labelled as on the topic.';
export const NO_NEGATIVE = 'No prompt with a verdict is labelled as off the topic.';

function measured(part: number, whole: number, missing: string): Measured {
  const interval = wilson(part, whole);
  return interval === undefined ? { missing } : { value: part / whole, interval, part, whole };
}

function mapped(share: Measured, map: (value: number) => number): Measured {
  if ('missing' in share) return share;
  const { value, interval } = share;
  return { ...share, value: map(value), interval: { low: map(interval.low), high: map(interval.high) } };
}
