/** Inputs, comparisons and outputs of a playbook's task, without secrets. */
import { isObject, type JsonObject, objectOf } from '../core/json.ts';
import { redaction } from '../core/redaction/redact.ts';
import { findCommand, type Registry } from '../runtime/engine/command.ts';
import { MASK } from '../runtime/output/mask.ts';
import type { Result } from '../runtime/output/result.ts';
import { NEXT, type Operand, type Playbook, type Value } from './playbook.ts';
import type { Step } from './rehearse.ts';

export interface Trace {
  /** Resolved arguments, for each run of a command. */
  readonly inputs: readonly JsonObject[];
  readonly wrote: JsonObject;
  readonly compared: readonly TracedComparison[];
}

export interface TracedComparison {
  readonly branch: string;
  /** A path such as `AiSec.RuntimeScan.action`; absent for a plain value. */
  readonly of?: string;
  readonly left: unknown;
  readonly operator: string;
  readonly right?: unknown;
  readonly holds: boolean;
}

type SecretArguments = ReadonlyMap<string, readonly string[]>;

async function secretArguments({ tasks }: Playbook, registry: Registry): Promise<SecretArguments> {
  const found = new Map<string, readonly string[]>();
  for (const task of tasks.values()) {
    if (task.kind !== 'command' || found.has(task.command)) continue;
    const { args = {} } = (await findCommand(registry, task.command)) ?? {};
    const secret = Object.keys(args).filter((name) => args[name]?.secret === true);
    found.set(task.command, secret);
  }
  return found;
}

/**
 * Creates the tracer of one run. It collects secrets from inputs that are used in secret arguments and from secret
 * fields of results, and masks them in everything that it returns. @param paths context paths of secrets @param known
 * other secrets, such as those in the settings
 */
export async function tracer(
  playbook: Playbook,
  inputs: JsonObject,
  registry: Registry,
  paths: ReadonlySet<string>,
  known: () => readonly string[],
): Promise<(step: Step) => Trace> {
  const hiddenArguments = await secretArguments(playbook, registry);
  const secrets = new Set(secretInputs(playbook, inputs, hiddenArguments));
  return ({ task, inputs: runs, results, compared }) => {
    const names = task.kind === 'command' ? (hiddenArguments.get(task.command) ?? []) : [];
    for (const { name, value } of runs.flat()) if (names.includes(name)) learn(value, secrets);
    const writes = results.flatMap((result) => result.writes);
    for (const { path, value } of writes) learnAt(value, path, paths, secrets);
    const { value: withoutSecrets } = redaction({ secrets: [...secrets, ...known()], showContent: true });
    return {
      inputs: runs.map((pairs) => {
        const shown = objectOf(withoutSecrets(Object.fromEntries(pairs.map(({ name, value }) => [name, value]))));
        return { ...shown, ...Object.fromEntries(names.filter((name) => name in shown).map((name) => [name, MASK])) };
      }),
      wrote: Object.fromEntries(writes.map(({ path, value }) => [path, withoutSecrets(maskAt(value, path, paths))])),
      compared: compared.map(({ comparison: { left, right, operator }, label, ...values }) => ({
        branch: label,
        ...ofOperand(left),
        left: withoutSecrets(values.left),
        operator,
        ...(right.value === undefined ? {} : { right: withoutSecrets(values.right) }),
        holds: values.holds,
      })),
    };
  };
}

function ofOperand({ value, isPath }: Operand): { of?: string } {
  if (value === undefined) return {};
  if ('complex' in value) return { of: [value.complex.root, value.complex.accessor].filter(Boolean).join('.') };
  return isPath || value.simple.includes('${') ? { of: value.simple } : {};
}

function secretInputs({ tasks }: Playbook, inputs: JsonObject, hidden: SecretArguments): string[] {
  const found = new Set<string>();
  for (const task of tasks.values()) {
    if (task.kind !== 'command') continue;
    const names = hidden.get(task.command) ?? [];
    for (const [name, value] of task.arguments) {
      if (names.includes(name)) for (const key of inputsOf(value)) learn(inputs[key], found);
    }
  }
  return [...found];
}

function inputsOf(value: Value): string[] {
  return Array.from(JSON.stringify(value).matchAll(/inputs\.(\w+)/g), ([, key = '']) => key);
}

function learnAt(value: unknown, path: string, paths: ReadonlySet<string>, secrets: Set<string>): void {
  if (paths.has(path)) learn(value, secrets);
  else if (Array.isArray(value)) for (const item of value) learnAt(item, path, paths, secrets);
  else if (isObject(value))
    for (const [name, item] of Object.entries(value)) learnAt(item, `${path}.${name}`, paths, secrets);
}

function learn(value: unknown, secrets: Set<string>): void {
  if (typeof value === 'string' && value !== '') secrets.add(value);
  else if (Array.isArray(value)) for (const item of value) learn(item, secrets);
  else if (isObject(value)) for (const item of Object.values(value)) learn(item, secrets);
}

export function maskAt(value: unknown, path: string, paths: ReadonlySet<string>): unknown {
  if (value === null || value === undefined) return value;
  if (paths.has(path)) return MASK;
  if (Array.isArray(value)) return value.map((item) => maskAt(item, path, paths));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, maskAt(item, `${path}.${name}`, paths)]),
  );
}

export function stepJson({ task: { id, name, ...task }, branch, results, error }: Step, trace?: Trace) {
  const outcome: 'done' | 'failed' | 'handled' =
    error === undefined ? 'done' : branch === undefined ? 'failed' : 'handled';
  return {
    id,
    name,
    kind: task.kind,
    ...(task.kind === 'command'
      ? { command: task.command, times: results.length, records: recordCounts(results) }
      : {}),
    ...(task.kind === 'script' ? { script: task.script, notes: notesOf(results), records: recordCounts(results) } : {}),
    outcome,
    ...(branch === undefined || branch === NEXT ? {} : { branch }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(trace === undefined ? {} : { line: task.line, trace }),
  };
}

/** Collects the messages that scripts write to the war room. */
export function notesOf(results: readonly Result[]): string[] {
  return results.flatMap(({ readable }) => readable.notes);
}

/** Counts the records that results wrote, by context path; a deletion writes no records. */
export function recordCounts(results: readonly Result[]): Record<string, number> {
  // A script may write to any path, such as constructor.
  const counts = new Map<string, number>();
  for (const { path, value } of results.flatMap(({ writes }) => writes)) {
    if (value === undefined) continue;
    counts.set(path, (counts.get(path) ?? 0) + (Array.isArray(value) ? value.length : 1));
  }
  return Object.fromEntries(counts);
}
