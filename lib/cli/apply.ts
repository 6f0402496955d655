/** `aisec apply`: creates and updates topics and profiles as a file states. */
import { UsageError } from '../engine/errors.ts';
import { applyPlan, changesIn, type Step } from '../features/guardrails/apply.ts';
import { errorOf } from '../features/guardrails/outcome.ts';
import { canAsk, isYes, tenantOf, terminalAsk } from '../hosts/terminal/modes/confirm.ts';
import { isForPrograms } from '../hosts/terminal/options/options.ts';
import { jsonText } from '../hosts/terminal/render/json.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { headOf, type Planned, planText, showDiff, withPlan } from './plan/plan.ts';
import { appliedSummary, planJson, stepLine } from './plan/view.ts';

const USAGE = 'apply FILE [--prune] [--allow-unknown] [--dry-run] [--yes]';

/** Applies a file, or shows what it would change. @returns 0 if the tenant has what the file states */
export async function apply(cli: SubcommandContext): Promise<number> {
  const { options, words } = cli;
  if (!options.dryRun && !options.yes && !canAsk(cli.host)) {
    throw new UsageError('aisec apply cannot ask here whether to make the changes.', {
      hint: 'Add --yes to make them, or --dry-run to see them.',
    });
  }
  return withPlan(words[0], USAGE, cli, (planned) => (options.dryRun ? showDiff(planned, cli) : applied(planned, cli)));
}

async function applied(planned: Planned, cli: SubcommandContext): Promise<number> {
  const { plan, run, redaction } = planned;
  const { screen, format, report } = cli;
  const shows = !isForPrograms(format);
  if (plan.conflict !== undefined || changesIn(plan).length === 0) return showUnapplied(planned, cli);
  if (shows) screen.result(await planText(planned, cli));
  if (!(await confirmed(planned, cli))) {
    screen.note('Nothing was changed.');
    return 0;
  }
  const result = await applyPlan(plan, run, (step) => {
    if (shows) screen.result(stepLine(step, redaction, screen.style));
  });
  const { steps } = result;
  if (shows) screen.result(appliedSummary(steps, plan));
  else screen.result(jsonText(appliedJson(planned, steps), screen.terminal));
  const error = errorOf(result);
  return error === undefined ? 0 : report(error);
}

/** Shows a plan that cannot be applied, or has nothing to apply. */
async function showUnapplied(planned: Planned, cli: SubcommandContext): Promise<number> {
  const code = await showDiff(planned, { ...cli, options: { ...cli.options, exitCode: false } });
  if (code === 0 && !cli.options.quiet) cli.screen.note('Nothing to do: the tenant has what the file states.');
  return code;
}

async function confirmed(
  { plan, session }: Planned,
  { host, options, ask, signal }: SubcommandContext,
): Promise<boolean> {
  if (options.yes) return true;
  const tenant = tenantOf(plan.tenant.simulated, session.configuration.settings.tsg_id);
  const question = `Make these changes on ${tenant}?`;
  return isYes(question, 'Nothing was changed.', { ask: ask ?? terminalAsk(host), signal });
}

/** Adds what became of each change. */
function appliedJson(planned: Planned, steps: readonly Step[]) {
  const { plan, shown } = planned;
  const { changes, summary } = planJson(shown);
  const states = plan.changes.map((change) => steps.find((step) => step.change === change));
  const applied = (changes as readonly object[]).map((change, at) => {
    const { state, revision, notKept = [] } = states[at] ?? {};
    const lost = notKept.length === 0 ? {} : { notKept: notKept.map(({ path }) => path.join('.')) };
    return { ...change, ...(state === undefined ? {} : { state, revision: revision ?? null }), ...lost };
  });
  return { ...headOf(planned), changes: applied, summary };
}
