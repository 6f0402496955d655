/** Prints the last text of a run, in the pager if it needs more lines than the terminal has. */
import type { CliContext } from '../subcommand.ts';

/** @param session that of a war room, which goes on: there the terminal scrolls */
export async function printLong(
  text: string,
  { host, screen, options, session }: Pick<CliContext, 'host' | 'screen' | 'options' | 'session'>,
) {
  if (!screen.terminal || session !== undefined) return screen.result(text);
  const { isHigher, pagerCommand } = await import('./pager.ts');
  const pager = pagerCommand(host.environment, options.noPager);
  if (pager !== undefined && isHigher(text, host.stdout)) screen.deferred = { text, pager };
  else screen.result(text);
}
