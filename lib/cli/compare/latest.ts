/** Finds the scans that `aisec compare TARGET` takes, and says which they are. */
import { type LatestScan, latestScans } from '../../features/report/collect/target-history.ts';
import { oneLine } from '../../hosts/terminal/render/cells.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { ageOf } from '../../project/printed.ts';
import type { Collection } from '../tools/scans.ts';

const SHORT_ID = 8;

/** @returns the ids, the earlier scan first @throws AisecError as `latestScans` does */
export async function latestIds(
  typed: string,
  { options, screen }: Pick<SubcommandContext, 'options' | 'screen'>,
  { run, createdAt }: Pick<Collection, 'run' | 'createdAt'>,
): Promise<readonly [before: string, after: string]> {
  const { target, before, after, passedOver } = await latestScans(typed, run);
  const shown = (scan: LatestScan) => described(scan, createdAt);
  if (!options.quiet) {
    screen.note(`note: the latest two complete scans of ${label(target)}: ${shown(before)}, then ${shown(after)}.`);
    const newer = passedOver.map(shown).join(', ');
    if (newer !== '') screen.note(`note: newer scans without an earlier one of their type: ${newer}.`);
  }
  return [before.id, after.id];
}

function described({ id, name, type, finishedAt }: LatestScan, now: number): string {
  const age = finishedAt === undefined ? 'of unknown age' : `${ageOf(finishedAt, now)} old`;
  const words = [name === undefined ? undefined : label(name), type, age].filter((word) => word !== undefined);
  return `${id.slice(0, SHORT_ID)} (${words.join(', ')})`;
}

function label(text: string): string {
  return sanitize(oneLine(text)).slice(0, 60);
}
