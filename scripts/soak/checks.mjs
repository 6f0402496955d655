/** Checks the measurements of a run against limits. */

/** Growth that is allowed over the second half, as a share of its median; some MB are always allowed for work that is kept. */
export const GROWTH = { share: 0.1, megabytes: 20 };
/** Maximum memory in use, in MB. It is about 240 when the bounds on kept runs, responses and files are reached. */
const KEPT_MB = 300;
/** Kept runs, responses and files reach their bounds within this time: growth before then is not a leak. */
const FILLED_SECONDS = 60;
const GROWTH_FILES = 60;
/** Minimum samples of a trend. */
const FEWEST_SAMPLES = 3;
const MAX_SHOWN = 10;

/**
 * Checks a run.
 * @param found `samples` of pauses in the load (`seconds`, `megabytes` in use, open `files`) and `problems` by their texts
 * @returns a sentence for each failed check
 */
export function failedChecks({ samples, problems }) {
  const half = secondHalf(samples);
  const { median, growth } = trendOf(samples);
  const most = Math.max(...samples.map(({ megabytes }) => megabytes));
  const bound = Math.max(median * GROWTH.share, GROWTH.megabytes);
  const files = (samples.at(-1)?.files ?? 0) - (half[0]?.files ?? 0);
  const isFilled = (half[0]?.seconds ?? 0) > FILLED_SECONDS;
  const checks = [
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

/** Computes the median memory over the second half of a run, and its growth by a linear fit (least squares), in MB. */
export function trendOf(samples) {
  const half = secondHalf(samples);
  const average = (figure) => half.reduce((sum, sample) => sum + sample[figure], 0) / half.length;
  const [middle, mean] = [average('seconds'), average('megabytes')];
  const above = half.reduce((sum, { seconds, megabytes }) => sum + (seconds - middle) * (megabytes - mean), 0);
  const below = half.reduce((sum, { seconds }) => sum + (seconds - middle) ** 2, 0);
  const sorted = half.map(({ megabytes }) => megabytes).sort((one, other) => one - other);
  const span = (half.at(-1)?.seconds ?? 0) - (half[0]?.seconds ?? 0);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, growth: below === 0 ? 0 : (above / below) * span };
}

function secondHalf(samples) {
  const end = samples.at(-1)?.seconds ?? 0;
  return samples.filter(({ seconds }) => seconds >= end / 2);
}
