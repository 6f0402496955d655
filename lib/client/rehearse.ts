/** Rehearses a platform playbook through the client. */

import { secretPaths } from '../playbook/commands.ts';
import { titleOf } from '../playbook/playbook.ts';
import { readPlaybookText, resolveInputs } from '../playbook/read-playbook.ts';
import { runPlaybook } from '../playbook/rehearse.ts';
import { maskAt, stepJson, tracer } from '../playbook/trace.ts';
import type { Registry } from '../runtime/engine/command.ts';
import { GrowingContext } from '../runtime/output/merge.ts';
import type { RunInvocation } from './invocation.ts';
import type { Rehearsal, RehearsalOptions, RehearsedTask } from './types.ts';

/** The parts of a client that a rehearsal uses. */
export interface RehearsalParts {
  readonly registry: Registry;
  readonly run: RunInvocation;
  /** The time in milliseconds since 1970. */
  readonly now: () => Promise<number>;
  /** Values that a trace must not show. */
  readonly secrets: () => readonly string[];
}

/**
 * Runs a playbook task by task. @param text the playbook as YAML
 * @throws UsageError or ValidationError for a playbook that cannot be rehearsed, CancelledError on a stop
 */
export async function rehearse(
  { registry, run, now, secrets }: RehearsalParts,
  text: string,
  { inputs = {}, onTask, ...call }: RehearsalOptions,
): Promise<Rehearsal> {
  const playbook = await readPlaybookText(text, 'playbook', registry);
  const resolved = resolveInputs(playbook, new Map(Object.entries(inputs)), {});
  const hidden = await secretPaths(playbook, registry);
  const traceOf = await tracer(playbook, resolved, registry, hidden, secrets);
  const context = new GrowingContext();
  const tasks: RehearsedTask[] = [];
  let simulated = false;
  const result = await runPlaybook(playbook, resolved, {
    registry,
    context: () => context.value,
    run: async (invocation, command) => {
      context.checkRoom();
      const outcome = await run(invocation, { ...call, command, secretSources: false });
      context.add(outcome.writes);
      simulated ||= outcome.simulated;
      return outcome;
    },
    keep: async (writes) => {
      context.checkRoom();
      context.add(writes);
    },
    now,
    onStep: (step) => {
      const task = stepJson(step, traceOf(step));
      tasks.push(task);
      onTask?.(task);
    },
  });
  const { failed, planned } = result;
  const outputs = Object.entries(result.outputs).map(([path, found]) => [path, maskAt(found, path, hidden)] as const);
  return {
    playbook: playbook.name,
    tasks,
    outputs: Object.fromEntries(outputs),
    simulated,
    planned,
    ...(failed?.error === undefined ? {} : { failure: failed.error, failedTask: titleOf(failed.task) }),
  };
}
