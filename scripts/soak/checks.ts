/** Checks the measurements of a run. */

/** Memory and open files of the service, in a pause of the load. */
export interface Sample {
  readonly seconds: number;
  readonly megabytes: number;
  readonly files: number;
}

/** Allowed growth during the second half, as a share of its median; some MB are always allowed for stored work. */
const GROWTH = { share: 0.1, megabytes: 20 };
/** Maximum memory in use, in MB. It is about 240 when the bounds on kept runs, responses and files are reached. */
const KEPT_MB = 300;
/** Stored runs, responses and files reach their limits within this time: earlier growth is not a leak. */
const FILLED_SECONDS = 60;
const GROWTH_FILES = 60;
/** Minimum number of samples for a trend. */
const FEWEST_SAMPLES = 3;
const MAX_SHOWN = 10;

/** Checks the samples, and reports the problems of a run. @returns a sentence for each failed check */
export function failedChecks(samples: readonly Sample[], problems: readonly string[]): string[] {
  const end = samples.at(-1)?.seconds ?? 0;
  const half = samples.filter(({ seconds }) => seconds >= end / 2);
  const [first, last] = [half[0], half.at(-1)];
  const { median, growth } = trendOf(half);
  const most = Math.max(...samples.map(({ megabytes }) => megabytes));
  const bound = Math.max(median * GROWTH.share, GROWTH.megabytes);
  const files = (last?.files ?? 0) - (first?.files ?? 0);
  const isFilled = (first?.seconds ?? 0) > FILLED_SECONDS;
  const checks: [isWell: boolean, sentence: string][] = [
    [half.length >= FEWEST_SAMPLES, `${half.length} memory samples in the second half are too few for a trend.`],
    [most <= KEPT_MB, `The service used ${most} MB; ${KEPT_MB} are allowed.`],
    [!isFilled || growth <= bound, `Memory grew by ${growth.toFixed(1)} MB; ${bound.toFixed(1)} are allowed.`],
    [files <= GROWTH_FILES, `${files} more descriptors are open; ${GROWTH_FILES} are allowed.`],
  ];
  const more = problems.length > MAX_SHOWN ? [`${problems.length - MAX_SHOWN} more.`] : [];
  return [
    ...checks.filter(([isWell]) => !isWell).map(([, sentence]) => sentence),
    ...problems.slice(0, MAX_SHOWN),
    ...more,
  ];
}

/** Computes the median memory, and its growth by a linear fit (least squares), in MB. */
function trendOf(samples: readonly Sample[]): { median: number; growth: number } {
  const average = (figure: keyof Sample) => samples.reduce((sum, sample) => sum + sample[figure], 0) / samples.length;
  const [middle, mean] = [average('seconds'), average('megabytes')];
  const above = samples.reduce((sum, { seconds, megabytes }) => sum + (seconds - middle) * (megabytes - mean), 0);
  const below = samples.reduce((sum, { seconds }) => sum + (seconds - middle) ** 2, 0);
  const sorted = samples.map(({ megabytes }) => megabytes).sort((one, other) => one - other);
  const span = (samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, growth: below === 0 ? 0 : (above / below) * span };
}
