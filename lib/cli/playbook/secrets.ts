/** Saves the one-time secrets of a playbook: its context ends with it, and its output has only what it declares. */

import { issuesSecrets } from '../../hosts/terminal/kept/secrets.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import type { Result } from '../../output/result.ts';
import { commandsOf } from '../../playbook/commands.ts';
import type { Playbook } from '../../playbook/playbook.ts';

/** Loaded on use: few playbooks receive a one-time secret. */
const files = () => import('../../hosts/terminal/kept/private-result.ts');

const NO_ROOM = {
  secret: 'A secret that this playbook receives once',
  hint: 'Nothing was sent. Choose a directory with --files-dir DIR.',
};

/** Checks before the first request that secrets can be saved. @throws ConfigurationError if not */
export async function requirePlaybookRoom(playbook: Playbook, cli: SubcommandContext): Promise<void> {
  if (cli.options.dryRun) return;
  const commands = await commandsOf(playbook, cli.host.registry);
  if (commands.some(issuesSecrets)) await (await files()).requireRoom(cli, NO_ROOM);
}

/**
 * Saves the one-time secret of a task in a file of its own, whatever the output: a later task may fail, or replace the
 * record in the context.
 */
export async function keepTaskSecret({ issued }: Result, cli: SubcommandContext): Promise<void> {
  if (issued === undefined) return;
  const { saveIssued, noteIssued } = await files();
  noteIssued(issued, await saveIssued(issued, cli), cli.screen);
}
