/** Progress of long work: how much is done, how fast, and how long the rest takes. */

import type { Clock } from './ports.ts';
import { grouped } from './text/numbers.ts';

/** How much of a piece of work is done, counted in units of one kind. */
export interface Amount {
  readonly done: number;
  /** Absent while the total is unknown. */
  readonly total?: number | undefined;
}

/** Shows the progress; each line replaces the previous one. @param amount for a bar */
export type ShowProgress = (line: string, amount?: Amount) => void;

interface Sample {
  readonly at: number;
  readonly done: number;
}

/** Minimum time and number of reports that the rate covers, because polls are rare. */
const [WINDOW_MS, MIN_SAMPLES] = [5000, 8];
const [SECOND, MINUTE] = [1000, 60_000];
const TIMES = { s: SECOND, min: MINUTE, h: 3_600_000 };

/**
 * Adds the rate and the time left to each line that has an amount, so that every host shows them in the same way.
 * @param unit of the rate, such as ` kB`. Default: none, because the line says what is counted
 */
export function metered(show: ShowProgress, clock: Pick<Clock, 'elapsed'>, unit = ''): ShowProgress {
  let samples: readonly Sample[] = [];
  return (line, amount) => {
    if (amount === undefined) return show(line);
    const now = { at: clock.elapsed(), done: amount.done };
    const last = samples[samples.length - 1];
    const recent = samples.filter(({ at }, index) => now.at - at <= WINDOW_MS || index > samples.length - MIN_SAMPLES);
    // A smaller amount than before belongs to other work.
    samples = last !== undefined && last.done > now.done ? [now] : [...recent, now];
    show(line + paceOf(samples[0] ?? now, now, amount.total, unit), amount);
  };
}

/** Returns the rate and the time left, if known, each after a comma. */
function paceOf(first: Sample, now: Sample, total: number | undefined, unit: string): string {
  const perMs = now.at > first.at ? (now.done - first.done) / (now.at - first.at) : 0;
  if (perMs <= 0) return '';
  const left = total === undefined || total <= now.done ? '' : `, ${roughly((total - now.done) / perMs)} left`;
  return `, ${rateOf(perMs, unit)}${left}`;
}

function rateOf(perMs: number, unit: string): string {
  const time = perMs * SECOND >= 1 ? 's' : perMs * MINUTE >= 1 ? 'min' : 'h';
  return `${grouped(Math.round(perMs * TIMES[time]))}${unit}/${time}`;
}

/** Formats an estimate; omits the seconds of a long estimate, because it is not that precise. */
function roughly(milliseconds: number): string {
  return milliseconds < 2 * MINUTE ? duration(milliseconds) : duration(milliseconds).replace(/ \d+ s$/, '');
}

/** Formats a time in whole seconds, such as `1 min 5 s`; from an hour on in minutes. @param milliseconds at least 0 */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / SECOND);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
