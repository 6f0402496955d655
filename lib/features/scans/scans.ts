/** Finds the red-team scans named in a subcommand's arguments, and writes pages about them. */

import type { Collection } from '../../client/report-pages.ts';
import { type Session, sessionOf } from '../../hosts/terminal/line/session.ts';
import type { SubcommandContext } from '../../hosts/terminal/line/subcommand.ts';
import { commandRunner, progressOn } from '../../hosts/terminal/result/command-runner.ts';
import { checkFileWritable, writeFileAtomically } from '../../node/files/atomic-write.ts';
import { OWNER_ONLY } from '../../node/files/commit-file.ts';
import { findCommand } from '../../runtime/engine/command.ts';

/** A command, and its argument that takes the typed word. */
interface Named {
  readonly name: string;
  readonly argument: string;
}

const RED_TEAM_SCAN: Named = { name: 'aisec-redteam-scan-get', argument: 'job_id' };
export const MODEL_SCAN: Named = { name: 'aisec-model-security-scans-get', argument: 'uuid' };

/**
 * Returns the id of a scan, which may be typed as a name or an id prefix; looks up red-team scans unless another
 * command is given. @throws PreconditionError if several scans match, NotFoundError if none does
 */
export async function jobIdOf(
  typed: string,
  cli: SubcommandContext,
  session: Session,
  named = RED_TEAM_SCAN,
): Promise<string> {
  if (cli.options.exact || typed === '') return typed;
  const [{ withIds }, runtime] = await Promise.all([
    import('../../hosts/terminal/line/prepare.ts'),
    session.runtime(cli.signal),
  ]);
  const command = await findCommand(cli.host.registry, named.name);
  if (command === undefined) return typed;
  const pairs = [{ name: named.argument, value: typed }];
  const line = { name: named.name, pairs, positionals: [] };
  const resolved = await withIds(line, command, { ...cli, session }, runtime);
  return String(resolved.pairs[0]?.value ?? typed);
}

/** Opens a session for a page, works with it, and closes it. @param file of the page, which must be writable */
export async function withCollection(
  file: string | undefined,
  cli: SubcommandContext,
  work: (collection: Collection, session: Session) => Promise<number>,
): Promise<number> {
  const { host, signal } = cli;
  if (file !== undefined) await checkFileWritable(file);
  const session = await sessionOf(cli);
  try {
    const { clock } = await session.runtime(signal);
    const run = commandRunner(host, session, signal);
    return await work(
      { run, createdAt: clock.now(), version: host.version, progress: progressOn(cli, clock) },
      session,
    );
  } finally {
    await session.close();
  }
}

/**
 * Writes a page, unless this is a dry run. Only the user may read the page: it contains attack prompts and responses.
 */
export async function writePage(file: string, page: string, { options }: SubcommandContext): Promise<void> {
  if (!options.dryRun) await writeFileAtomically(file, page, OWNER_ONLY);
}
