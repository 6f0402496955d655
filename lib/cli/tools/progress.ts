/** The progress of a subcommand that makes several requests. */
import type { Clock } from '../../core/ports.ts';
import { metered, type ShowProgress } from '../../core/progress.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';

/** Creates the function that shows it from now on, with rate, time left and age; `--quiet` shows none. */
export function progressOn(
  { screen, options }: Pick<SubcommandContext, 'screen' | 'options'>,
  clock: Pick<Clock, 'elapsed'>,
): ShowProgress {
  if (options.quiet) return () => undefined;
  const since = performance.now();
  return metered((line, amount) => screen.progress(line, since, amount), clock);
}
