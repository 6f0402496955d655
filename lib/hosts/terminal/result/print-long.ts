/** Prints the final output of a line, in the pager if it needs more lines than the terminal has. */

import type { CliContext } from '../line/subcommand.ts';
import type { TerminalHost } from '../ui/host.ts';
import type { Screen } from '../ui/screen.ts';

/** Prints a text, or leaves it to `showDeferred`. */
export async function printLong(
  text: string,
  { host, screen, options }: Pick<CliContext, 'host' | 'screen' | 'options'>,
): Promise<void> {
  if (!screen.terminal) return screen.result(text);
  const { isHigher, pagerCommand } = await import('./pager.ts');
  const pager = pagerCommand(host.environment, options.noPager);
  if (pager !== undefined && isHigher(text, host.stdout)) screen.deferred = { text, pager };
  else screen.result(text);
}

/**
 * Shows a long text in the pager after the work has ended; prints it directly if the pager does not start. @param
 * signal ends the pager
 */
export async function showDeferred(host: TerminalHost, screen: Screen, signal?: AbortSignal): Promise<void> {
  const { deferred } = screen;
  if (deferred === undefined) return;
  screen.deferred = undefined;
  const { showInPager } = await import('./pager.ts');
  const isShown = await showInPager(deferred.text, deferred.pager, host, signal);
  if (!isShown && signal?.aborted !== true) screen.result(deferred.text);
}
