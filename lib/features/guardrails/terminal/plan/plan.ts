/** Reads a guardrails file, and compares it with the tenant. */

import { type Redaction, redaction } from '../../../../core/redaction/redact.ts';
import { readNamedFile } from '../../../../hosts/terminal/line/named-file.ts';
import { isForPrograms } from '../../../../hosts/terminal/line/options.ts';
import { type Session, sessionOf } from '../../../../hosts/terminal/line/session.ts';
import type { allowUnknown, prune } from '../../../../hosts/terminal/line/shared-flags.ts';
import { type SubcommandContext, usageError } from '../../../../hosts/terminal/line/subcommand.ts';
import { commandRunner } from '../../../../hosts/terminal/result/command-runner.ts';
import { pageFor } from '../../../../hosts/terminal/result/page.ts';
import { printLong } from '../../../../hosts/terminal/result/print-long.ts';
import { marked } from '../../../../hosts/terminal/result/records/record-view.ts';
import { jsonText } from '../../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../../hosts/terminal/ui/sanitize.ts';
import type { RunCommand } from '../../../../runtime/engine/command-port.ts';
import { readMoved } from '../../moved-tenant.ts';
import { type Plan, planOf } from '../../plan.ts';
import { readGuardrails } from '../../read-guardrails.ts';
import { type AnyKind, readTenant } from '../../tenant.ts';
import { nameInLine } from './members.ts';
import { planJson, planLines, planSummary, type ShownChange, shownChanges } from './plan-view.ts';

export type PlanContext = SubcommandContext<{ prune: typeof prune; allowUnknown: typeof allowUnknown }>;

/** A plan, with the functions that show and apply it. */
export interface Planned {
  readonly file: string;
  readonly plan: Plan;
  /** Redacted, and only of the requested kinds. */
  readonly shown: readonly ShownChange[];
  readonly session: Session;
  readonly run: RunCommand;
  readonly redaction: Redaction;
}

/**
 * Makes the plan, passes it on, and closes the resources that were opened for it. @param kinds to show. Default: all
 */
export async function withPlan(
  path: string | undefined,
  usage: string,
  cli: PlanContext,
  use: (planned: Planned) => Promise<number>,
  kinds?: readonly AnyKind[],
): Promise<number> {
  if (path === undefined || path === '') {
    const [name = ''] = usage.split(' FILE');
    throw usageError(`aisec ${name} needs a file.`, usage);
  }
  const { host, options, screen, signal } = cli;
  const guardrails = await readGuardrails(await readNamedFile(path, cli), path, host.registry);
  const note = (text: string) => options.quiet || screen.note(nameInLine(text));
  const session = await sessionOf(cli);
  try {
    const run = commandRunner(host, session, signal, { literal: true });
    const tenant = await readTenant(run);
    const say = (text: string) => note(`note: ${text}`);
    const moved = kinds === undefined ? await readMoved(guardrails.guardrails, run, say) : {};
    const wanted = { prune: options.prune, allowUnknown: options.allowUnknown };
    const plan = planOf(guardrails, tenant, wanted, moved);
    const redact = redaction({ secrets: screen.secrets(), showContent: true });
    const shown = shownChanges(plan, redact).filter(({ kind }) => kinds === undefined || kinds.includes(kind));
    for (const text of plan.notes) note(`note: ${redact.text(text)}`);
    return await use({ file: path, plan, shown, session, run, redaction: redact });
  } finally {
    await session.close();
  }
}

/** Shows the difference between a file and the tenant. @param kinds to show. Default: all @returns the exit code */
export function diff(file: string | undefined, usage: string, cli: PlanContext, kinds?: readonly AnyKind[]) {
  return withPlan(file, usage, cli, (planned) => showDiff(planned, cli), kinds);
}

/** Prints a plan that is not applied. @returns the exit code */
export async function showDiff(planned: Planned, cli: PlanContext): Promise<number> {
  const { plan, shown } = planned;
  const { screen, format, options, report } = cli;
  if (isForPrograms(format)) screen.result(jsonText({ ...planHead(planned), ...planJson(shown) }, screen.terminal));
  else await printLong(await planText(planned, cli), cli);
  if (plan.conflict !== undefined) return report(plan.conflict);
  const differs = shown.some(({ verb }) => verb !== 'unchanged' && verb !== 'unlisted');
  return differs && options.exitCode ? 1 : 0;
}

/** Returns the first members of every JSON object of a plan. */
export function planHead({ file, plan, session }: Planned) {
  const { simulated } = plan.tenant;
  return { file, tenant: session.configuration.settings.tsg_id ?? null, ...(simulated ? { simulated } : {}) };
}

/** Renders a plan: first the tenant, last the counts. */
export async function planText(
  { plan, shown, session }: Pick<Planned, 'plan' | 'shown' | 'session'>,
  { screen, signal }: PlanContext,
): Promise<string> {
  const title = sanitize(`Tenant ${session.configuration.settings.tsg_id ?? ''}`.trim());
  const page = await pageFor(shown, { screen, signal });
  const { simulated } = plan.tenant;
  return [
    ...marked({ plain: title, painted: screen.style.bold(title) }, simulated, page),
    ...planLines(shown, page),
    planSummary(shown),
  ].join('\n');
}
