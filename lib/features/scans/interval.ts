/** Intervals of shares. */

/** Quantile of the normal distribution for 95 %. */
const Z = 1.959963984540054;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the 95 % Wilson interval of a share, from 0 to 1. The interval stays within these bounds even with few
 * trials, and with no or only successes. Source: E. B. Wilson, Probable inference, 1927.
 * @returns undefined without trials
 */
export function wilson(successes: number, trials: number): Interval | undefined {
  if (!(trials > 0) || !(successes >= 0) || successes > trials) return undefined;
  const share = successes / trials;
  const weight = Z ** 2 / trials;
  const middle = share + weight / 2;
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + weight / (4 * trials));
  const at = (value: number) => Math.min(1, Math.max(0, value / (1 + weight)));
  // Rounding would move the bound away from 0 if there is no success, or from 1 if all succeeded.
  return {
    low: successes === 0 ? 0 : at(middle - spread),
    high: successes === trials ? 1 : at(middle + spread),
  };
}
