/** Runs a playbook task by task, as the platform would. */
import type { Invocation } from '../arguments/lexer.ts';
import type { Command, Registry } from '../command.ts';
import {
  type AisecError,
  CancelledError,
  ConfigurationError,
  PreconditionError,
  toAisecError,
  UsageError,
} from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Result } from '../result.ts';
import { walk } from './flow.ts';
import { type CommandTask, type ConditionTask, DEFAULT, ERROR, NEXT, type Playbook, type Task } from './playbook.ts';
import { at, holds, type Scope, valueIn } from './values.ts';

/** What a playbook runs on. */
export interface PlaybookHost {
  readonly registry: Registry;
  /** Runs a command, and keeps what it leaves in the context. Its values are final: nothing in them is a reference. */
  run(invocation: Invocation): Promise<Result>;
  context(): JsonObject;
  /** Is told each task when it is done. */
  told(step: Step): void;
}

/** What came of one task. */
export interface Step {
  readonly task: Task;
  /** Of a command, one for each time it ran. */
  readonly results: readonly Result[];
  /** The branch that it takes; undefined: the playbook ends here. */
  readonly branch: string | undefined;
  readonly error?: AisecError;
}

export interface Ending {
  /** The task that failed, and was not meant to. */
  readonly failed: Step | undefined;
  /** A dry run, which ends where later tasks need what was not done. */
  readonly planned: boolean;
  /** Context values by the paths that the playbook declares; null where there is none. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/**
 * Runs a playbook that has been read and checked.
 * @param inputs by key
 * @throws CancelledError when the user stops it
 */
export async function runPlaybook(playbook: Playbook, inputs: JsonObject, host: PlaybookHost): Promise<Ending> {
  const scope = (): Scope => ({ ...host.context(), inputs });
  let last: Step | undefined;
  await walk(playbook, async (task) => {
    last = await step(task, scope(), host);
    host.told(last);
    return last.branch;
  });
  const end = last?.branch === undefined ? last : undefined;
  return {
    failed: end?.error === undefined ? undefined : end,
    planned: isPlanned(end?.results ?? []),
    outputs: Object.fromEntries(playbook.outputs.map((path) => [path, at(host.context(), path) ?? null])),
  };
}

async function step(task: Task, scope: Scope, host: PlaybookHost): Promise<Step> {
  if (task.kind === 'command') return command(task, scope, host);
  try {
    return { task, results: [], branch: task.kind === 'condition' ? decided(task, scope) : NEXT };
  } catch (thrown) {
    return { task, results: [], branch: undefined, error: toAisecError(thrown) };
  }
}

function decided({ branches, next }: Task & ConditionTask, scope: Scope): string {
  const label = branches.find(({ test }) => holds(scope, test))?.label ?? DEFAULT;
  if (next.has(label)) return label;
  throw new PreconditionError(`No condition holds, and there is no branch ${DEFAULT}.`, {
    hint: 'On the platform the playbook would stand still here.',
  });
}

async function command(task: Task & CommandTask, scope: Scope, host: PlaybookHost): Promise<Step> {
  const results: Result[] = [];
  try {
    const declared = await host.registry[task.command]?.();
    for (const invocation of invocationsOf(task, declared, scope)) {
      const result = await host.run(invocation);
      results.push(result);
      if (result.failure !== undefined) throw result.failure;
    }
    return { task, results, branch: isPlanned(results) ? undefined : NEXT };
  } catch (thrown) {
    const error = toAisecError(thrown);
    if (error instanceof CancelledError) throw error;
    return { task, results, branch: branchAfter(task, error), error };
  }
}

function branchAfter({ afterError }: CommandTask, error: AisecError): string | undefined {
  // It says something about this machine, and nothing about the playbook.
  if (afterError === 'stop' || error instanceof ConfigurationError) return undefined;
  return afterError === 'error-path' ? ERROR : NEXT;
}

function isPlanned(results: readonly Result[]): boolean {
  return results.some(({ planned }) => planned);
}

/** One invocation, or one for each item where an argument that takes one value is handed a list, as on the platform. */
function invocationsOf(task: CommandTask, declared: Command | undefined, scope: Scope): Invocation[] {
  const values = task.arguments.flatMap(([name, value]) => {
    const found = valueIn(scope, value);
    return isNothing(found) ? [] : [{ name, value: found, isSpread: isSpread(name, found, task, declared) }];
  });
  const lengths = values.flatMap(({ value, isSpread }) => (isSpread && Array.isArray(value) ? value.length : []));
  const times = lengths.reduce((most, length) => Math.max(most, length), 1);
  if (lengths.some((length) => length !== times)) {
    throw new UsageError(`Its lists have different lengths: ${lengths.join(', ')}.`, {
      hint: 'A task runs once for each item of its lists, taken together.',
    });
  }
  const most = task.forEach?.most ?? times;
  if (times > most) throw new UsageError(`It would run ${times} times, and its loop ends after ${most}.`);
  return Array.from({ length: times }, (_, index) => ({
    name: task.command,
    pairs: values.map(({ name, value, isSpread }) => ({ name, value: isSpread ? itemAt(value, index) : value })),
    positionals: [],
  }));
}

function isSpread(name: string, value: unknown, { forEach }: CommandTask, declared: Command | undefined): boolean {
  return Array.isArray(value) && (forEach !== undefined || declared?.args[name]?.kind !== 'list');
}

function itemAt(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value[index] : value;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
