/** Red-team scans named on the command line of a subcommand. */
import { isInteractive } from '../../hosts/terminal/host.ts';
import type { Session } from '../../hosts/terminal/modes/session.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';

/** The command whose argument the words of a subcommand are. */
const NAMED = { name: 'aisec-redteam-scan-get', argument: 'job_id' };

/**
 * Returns the id of a scan. A person at a terminal or in a war room may type its name, or a prefix of the id.
 * @throws UsageError for a name or prefix that several scans have
 */
export async function jobIdOf(typed: string, cli: SubcommandContext, session: Session): Promise<string> {
  const takesNames = cli.session !== undefined || isInteractive(cli.host);
  if (!takesNames || typed === '') return typed;
  const [{ withIds }, runtime] = await Promise.all([
    import('../../hosts/terminal/modes/prepare.ts'),
    session.runtime(cli.signal),
  ]);
  const pairs = [{ name: NAMED.argument, value: typed }];
  const resolved = await withIds({ name: NAMED.name, pairs, positionals: [] }, { ...cli, session }, runtime);
  return String(resolved.pairs[0]?.value ?? typed);
}
