/** Applies a guardrails file after the user confirms. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Amount } from '../../../../core/progress.ts';
import type { Redaction } from '../../../../core/redaction/redact.ts';
import { grouped, plural } from '../../../../core/text/numbers.ts';
import { secretSource } from '../../../../hosts/terminal/line/configuration.ts';
import { isYes, terminalAsk } from '../../../../hosts/terminal/line/confirm.ts';
import { isForPrograms } from '../../../../hosts/terminal/line/options.ts';
import { progressOn } from '../../../../hosts/terminal/result/command-runner.ts';
import { jsonText } from '../../../../hosts/terminal/ui/json.ts';
import { columns } from '../../../../hosts/terminal/ui/measure.ts';
import { cutAtWord } from '../../../../hosts/terminal/ui/wrap.ts';
import { OWNER_ONLY } from '../../../../node/files/commit-file.ts';
import { type FilesDirectory, filesDirectory } from '../../../../node/files/unfinished.ts';
import { tenantOf } from '../../../../runtime/engine/deletion.ts';
import { applyPlan, changesIn, type Step } from '../../apply.ts';
import { applicationError, skippedError } from '../../outcome.ts';
import type { Change } from '../../tenant.ts';
import { nameInLine } from './members.ts';
import { type PlanContext, type Planned, planHead, planText, showDiff, withPlan } from './plan.ts';
import { appliedSummary, planJson, stepLine } from './plan-view.ts';

/** Applies a file. @returns 0 if the tenant has what the file states */
export function applyFile(path: string | undefined, usage: string, cli: PlanContext): Promise<number> {
  return withPlan(path, usage, cli, (planned) => applied(planned, cli));
}

async function applied(planned: Planned, cli: PlanContext): Promise<number> {
  const { plan, run, redaction, session } = planned;
  const { screen, format, report } = cli;
  const shows = !isForPrograms(format);
  if (plan.conflict !== undefined || changesIn(plan).length === 0) return showUnapplied(planned, cli);
  if (shows) screen.result(await planText(planned, cli));
  if (!(await confirmed(planned, cli))) {
    screen.note('Nothing was changed.');
    return 0;
  }
  const files = keywordFiles();
  const progress = progressOn(cli, (await session.runtime(cli.signal)).clock);
  const result = await applyPlan(
    plan,
    { run, keepText: files.keepText, secret: secretSource(cli.host.environment, cli.signal) },
    (step) => {
      if (shows) screen.result(stepLine(step, redaction, screen.style));
    },
    (change, amount) => progress(beginLine(change, amount, redaction), amount),
  );
  screen.settle();
  await files.remove();
  const { steps } = result;
  if (shows) screen.result(appliedSummary(steps, plan));
  else screen.result(jsonText(appliedJson(planned, steps), screen.terminal));
  const error = applicationError(result) ?? skippedError(plan.changes);
  return error === undefined ? 0 : report(error);
}

/** Maximum width of a name in a progress line, in columns. */
const LONGEST_NAME = 30;

/** Renders the progress line at the start of a change. */
function beginLine({ kind, name }: Change, { done, total = 0 }: Amount, redaction: Redaction): string {
  const what = cutAtWord(nameInLine(redaction.text(name)), LONGEST_NAME, columns);
  return `${kind} ${what}: ${grouped(done)} of ${plural(total, 'change')}`;
}

/** Shows a plan that cannot be applied, or that has no changes. */
async function showUnapplied(planned: Planned, cli: PlanContext): Promise<number> {
  const code = await showDiff(planned, { ...cli, options: { ...cli.options, exitCode: false } });
  const skipped = skippedError(planned.plan.changes);
  if (code === 0 && skipped !== undefined) return cli.report(skipped);
  if (code === 0 && !cli.options.quiet) cli.screen.note('Nothing to do: the tenant has what the file states.');
  return code;
}

async function confirmed({ plan, session }: Planned, { host, options, ask, signal }: PlanContext): Promise<boolean> {
  if (options.yes) return true;
  const tenant = tenantOf(plan.tenant.simulated, session.configuration.settings.tsg_id);
  const question = `Make these changes on ${tenant}?`;
  return isYes(question, 'Nothing was changed.', { ask: ask ?? terminalAsk(host), signal });
}

/** Adds the outcome of each change. */
function appliedJson(planned: Planned, steps: readonly Step[]) {
  const { plan, shown } = planned;
  const { changes, summary } = planJson(shown);
  const states = plan.changes.map((change) => steps.find((step) => step.change === change));
  const applied = (changes as readonly object[]).map((change, at) => {
    const { state, revision, notKept = [] } = states[at] ?? {};
    const lost = notKept.length === 0 ? {} : { notKept: notKept.map(({ path }) => path.join('.')) };
    return { ...change, ...(state === undefined ? {} : { state, revision: revision ?? null }), ...lost };
  });
  return { ...planHead(planned), changes: applied, summary };
}

/** Prefix of the folder, so that a later run can remove the folder of a killed process. */
const PREFIX = 'aisec-keywords-';

/**
 * Keeps keywords as private files, because the service accepts a dictionary as a file. The files exist until `remove`
 * is called; the folder is created on first use.
 */
export function keywordFiles() {
  let folder: FilesDirectory | undefined;
  return {
    /** Writes text to a file with this name. @returns its path */
    keepText: async (name: string, text: string): Promise<string> => {
      folder ??= await filesDirectory(undefined, PREFIX);
      const path = join(folder.directory, name);
      await writeFile(path, text, { mode: OWNER_ONLY });
      return path;
    },
    remove: async (): Promise<void> => folder?.remove(),
  };
}
