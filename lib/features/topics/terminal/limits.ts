/** The limits of `aisec topics eval`. */
import { UsageError } from '../../../core/errors.ts';
import { roundedBeside } from '../../../core/text/numbers.ts';
import type { Labelled } from '../labelled.ts';
import type { Measured, Metric } from '../metrics.ts';
import type { TopicsContext } from './flags.ts';

export interface Limit {
  readonly metric: Metric;
  readonly option: string;
  /** Minimum, from 0 to 1. */
  readonly least: number;
}

export const TITLES: Readonly<Record<Metric, string>> = {
  f1: 'F1',
  tpr: 'True positive rate',
  tnr: 'True negative rate',
  precision: 'Precision',
};

const LEAST_PERCENTAGE = 10;

/**
 * Reads the limits: a value up to 1 is a share, a larger value a percentage. @throws UsageError for a limit that no
 * result can break or meet
 */
export function limitsIn({ minF1, minTpr, minTnr }: TopicsContext['options']): readonly Limit[] {
  const options = [
    { metric: 'f1', option: '--min-f1', value: minF1 },
    { metric: 'tpr', option: '--min-tpr', value: minTpr },
    { metric: 'tnr', option: '--min-tnr', value: minTnr },
  ] as const;
  return options.flatMap(({ metric, option, value }) => {
    if (value === undefined) return [];
    // A value slightly above 1 is a typing error: as a percentage, it would limit nothing.
    if (!(value > 0 && value <= 1) && !(value >= LEAST_PERCENTAGE && value <= 100)) {
      throw new UsageError(
        `Option ${option} must be a share up to 1, or a percentage from ${LEAST_PERCENTAGE} to 100.`,
        {
          hint: `A share such as ${option} 0.9, or a percentage such as ${option} 90.`,
        },
      );
    }
    return [{ metric, option, least: value > 1 ? value / 100 : value }];
  });
}

/** Refuses limits that the labels cannot decide, before anything is scanned. @throws UsageError */
export function checkLimits(limits: readonly Limit[], rows: readonly Labelled[], name: string): void {
  const has = (expected: boolean) => rows.some((row) => row.expected === expected);
  for (const { metric, option } of limits) {
    const missing = !has(true) && metric !== 'tnr' ? 'on' : !has(false) && metric !== 'tpr' ? 'off' : undefined;
    if (missing === undefined) continue;
    throw new UsageError(
      `${option} cannot be decided: ${name} has no prompt that is labelled as ${missing} the topic.`,
      {
        hint: 'Nothing was scanned. Add prompts of both labels.',
      },
    );
  }
}

/** Describes the broken limits; a missing measure breaks its limit. */
export function brokenLimits(limits: readonly Limit[], metrics: Readonly<Record<Metric, Measured>>): string[] {
  return limits.flatMap(({ metric, option, least }) => {
    const measured = metrics[metric];
    if ('missing' in measured) return [`${TITLES[metric]} is unknown (${option} ${percent(least)})`];
    if (measured.value >= least) return [];
    const isChance = measured.interval.high >= least ? ', within chance' : '';
    const share = roundedBeside(100 * measured.value, 100 * least);
    return [`${TITLES[metric]} ${share} % < ${percent(least)}${isChance}`];
  });
}

/** Formats a share as `83.33 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}
