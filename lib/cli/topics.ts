import { UsageError } from '../engine/errors.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { showDiff, withPlan } from './plan/plan.ts';

const USAGE = 'topics diff FILE [--prune] [--allow-unknown] [--exit-code]';

/** `aisec topics diff`: compares the custom topics of a file with those of the tenant. */
export async function topics(cli: SubcommandContext): Promise<number> {
  const [what, file] = cli.words;
  if (what !== 'diff')
    throw new UsageError('aisec topics compares a file: diff FILE.', { hint: `Usage: aisec ${USAGE}` });
  return withPlan(file, USAGE, cli, (planned) => showDiff(planned, cli), ['topic']);
}
