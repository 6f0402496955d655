/** Runs a playbook task by task, as the platform does. */

import {
  type AisecError,
  CancelledError,
  ConfigurationError,
  PreconditionError,
  toAisecError,
  UsageError,
} from '../core/errors.ts';
import { asText, type JsonObject } from '../core/json.ts';
import type { Amount } from '../core/progress.ts';
import type { Invocation, Pair } from '../runtime/arguments/lexer.ts';
import { type Command, findCommand, type Registry } from '../runtime/engine/command.ts';
import type { ContextWrite, Result } from '../runtime/output/result.ts';
import { walk } from './flow.ts';
import {
  type CommandTask,
  type ConditionTask,
  DEFAULT,
  ERROR,
  NEXT,
  type Playbook,
  type QuestionTask,
  type ScriptTask,
  type Task,
} from './playbook.ts';
import { runScript } from './scripts.ts';
import { at, type Compared, holds, type Scope, valueIn } from './values.ts';

export interface PlaybookHost {
  readonly registry: Registry;
  /** Runs a command and merges its outputs into the context. Argument values are data: references are not resolved. */
  run(invocation: Invocation, command: Command | undefined): Promise<Result>;
  context(): JsonObject;
  /** Merges the writes of a platform script into the context. */
  keep(writes: readonly ContextWrite[]): Promise<void>;
  /** The time in milliseconds since 1970. */
  now(): Promise<number>;
  /** Answers a question with one of its branches; without this function, the rehearsal ends at the question. */
  answer?(task: Task & QuestionTask): string;
  /** Called before each task, with the total number of tasks, and the number of tasks before this one. */
  onBegin?(task: Task, amount: Amount): void;
  onStep(step: Step): void;
}

export interface Step {
  readonly task: Task;
  /** Results of a command, one per run. */
  readonly results: readonly Result[];
  /** Resolved arguments of a command, for each started run; they may be secrets. */
  readonly inputs: readonly (readonly Pair[])[];
  /** Comparisons of a condition by branch, up to the branch taken; the values may be secrets. */
  readonly compared: readonly (Compared & { readonly label: string })[];
  /** The branch taken; undefined if the playbook ends here. */
  readonly branch: string | undefined;
  readonly error?: AisecError;
}

export interface PlaybookResult {
  /** The task whose failure ended the playbook. */
  readonly failed: Step | undefined;
  /** True for a dry run, which ends at the first change that later tasks depend on. */
  readonly planned: boolean;
  /** Context values by declared output path; null for a path without a value. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/**
 * Runs a checked playbook.
 * @param inputs by key
 * @throws CancelledError when the user stops it
 */
export async function runPlaybook(playbook: Playbook, inputs: JsonObject, host: PlaybookHost): Promise<PlaybookResult> {
  const scope = (): Scope => ({ ...host.context(), inputs });
  const use = meter();
  let last: Step | undefined;
  await walk(playbook, async (task, behind) => {
    host.onBegin?.(task, { done: behind, total: playbook.tasks.size });
    last = await step(task, scope(), host, use);
    host.onStep(last);
    return last.branch;
  });
  const end = last?.branch === undefined ? last : undefined;
  return {
    failed: end?.error === undefined ? undefined : end,
    planned: isPlanned(end?.results ?? []),
    outputs: Object.fromEntries(playbook.outputs.map((path) => [path, at(host.context(), path) ?? null])),
  };
}

/** The data of a task's steps until it ended or failed. */
interface Done {
  readonly results: Result[];
  readonly inputs: (readonly Pair[])[];
  readonly compared: Step['compared'][number][];
  readonly use: (...values: readonly unknown[]) => void;
}

/** Maximum total characters of the tasks' values, because the trace keeps them. */
const MAX_USED = 20_000_000;

/** Counts the values that tasks use. @throws UsageError for too many */
function meter(): (...values: readonly unknown[]) => void {
  let left = MAX_USED;
  return (...values) => {
    for (const value of values) left -= asText(value ?? '').length;
    if (left < 0) throw new UsageError(`The tasks use values of more than ${MAX_USED} characters.`);
  };
}

async function step(task: Task, scope: Scope, host: PlaybookHost, use: Done['use']): Promise<Step> {
  const kept = { results: [], inputs: [], compared: [] };
  const done: Done = { ...kept, use };
  try {
    return { task, ...kept, branch: await branchOf(task, scope, host, done) };
  } catch (thrown) {
    const error = toAisecError(thrown);
    if (error instanceof CancelledError) throw error;
    return { task, ...kept, branch: branchAfter(task, error), error };
  }
}

async function branchOf(task: Task, scope: Scope, host: PlaybookHost, done: Done): Promise<string | undefined> {
  switch (task.kind) {
    case 'command':
      return command(task, scope, host, done);
    case 'script':
      return script(task, scope, host, done);
    case 'question':
      return answered(task, host);
    case 'condition':
      return decided(task, scope, done);
    default:
      return NEXT;
  }
}

function decided({ branches, next }: Task & ConditionTask, scope: Scope, { compared, use }: Done): string {
  const note = (each: Compared, label: string) => {
    use(each.left, each.right);
    compared.push({ ...each, label });
  };
  const taken = branches.find(({ label, test }) => holds(scope, test, (each) => note(each, label)));
  const label = taken?.label ?? DEFAULT;
  if (next.has(label)) return label;
  throw new PreconditionError(`No condition holds, and there is no branch ${DEFAULT}.`, {
    hint: 'On the platform the playbook would wait here forever.',
  });
}

function answered(task: Task & QuestionTask, host: PlaybookHost): string {
  const branches = [...task.next.keys()];
  const answer = host.answer?.(task);
  if (answer !== undefined && branches.includes(answer)) return answer;
  throw new PreconditionError(`A person decides here: ${branches.join(' or ')}.`, {
    hint: 'A rehearsal cannot ask; an input of the playbook may turn the question off.',
  });
}

async function script(task: ScriptTask, scope: Scope, host: PlaybookHost, done: Done): Promise<string> {
  const { results, inputs, use } = done;
  const pairs = argumentsIn(task, scope);
  use(...pairs.map(({ value }) => value));
  inputs.push(pairs);
  const given = Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  const result = runScript(task.script, given, await host.now());
  await host.keep(result.writes);
  results.push(result);
  return NEXT;
}

async function command(task: CommandTask, scope: Scope, host: PlaybookHost, { results, inputs, use }: Done) {
  const declared = await findCommand(host.registry, task.command);
  for (const invocation of invocationsOf(task, declared, scope)) {
    use(...invocation.pairs.map(({ value }) => value));
    inputs.push(invocation.pairs);
    const result = await host.run(invocation, declared);
    results.push(result);
    if (result.failure !== undefined) throw result.failure;
  }
  return isPlanned(results) ? undefined : NEXT;
}

function branchAfter(task: Task, error: AisecError): string | undefined {
  const afterError = 'afterError' in task ? task.afterError : 'stop';
  // A configuration error concerns this machine, not the playbook, so its error path is not rehearsed.
  if (afterError === 'stop' || error instanceof ConfigurationError) return undefined;
  return afterError === 'error-path' ? ERROR : NEXT;
}

function isPlanned(results: readonly Result[]): boolean {
  return results.some(({ planned }) => planned);
}

/** Evaluates a task's arguments; leaves out arguments without a value. */
function argumentsIn(task: CommandTask | ScriptTask, scope: Scope): Pair[] {
  const pairs = task.arguments.map(([name, value]) => ({ name, value: valueIn(scope, value) }));
  return pairs.filter(
    ({ value }) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
  );
}

/** Creates one invocation, or one for each item if an argument that takes one value gets a list, as on the platform. */
function invocationsOf(task: CommandTask, declared: Command | undefined, scope: Scope): Invocation[] {
  const takesOne = (name: string) => task.forEach !== undefined || declared?.args[name]?.kind !== 'list';
  const values = argumentsIn(task, scope).map(({ name, value }) => {
    const items: readonly unknown[] | undefined = Array.isArray(value) && takesOne(name) ? value : undefined;
    return { name, value, items };
  });
  const lengths = values.flatMap(({ items }) => items?.length ?? []);
  const times = lengths.reduce((most, length) => Math.max(most, length), 1);
  if (lengths.some((length) => length !== times)) {
    throw new UsageError(`Its lists have different lengths: ${lengths.join(', ')}.`, {
      hint: 'A task runs once for each item, so its lists need the same length.',
    });
  }
  const most = task.forEach?.most ?? times;
  if (times > most) throw new UsageError(`It would run ${times} times, and its loop ends after ${most}.`);
  return Array.from({ length: times }, (_, index) => ({
    name: task.command,
    pairs: values.map(({ name, value, items }) => ({ name, value: items === undefined ? value : items[index] })),
    positionals: [],
  }));
}
