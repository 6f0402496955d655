/** Checks the commands of a playbook against the registry before any of them runs. */
import { GENERIC_NAMES } from '../runtime/arguments/generic.ts';
import { didYouMean } from '../runtime/arguments/suggest.ts';
import { type Command, findCommand, type Registry } from '../runtime/engine/command.ts';
import { type Playbook, type Problems, placeOf, type Task } from './playbook.ts';
import { SCRIPTS } from './scripts.ts';

/**
 * Maximum number of suggestions: each compares a name with all commands, and a large playbook may have thousands of
 * problems.
 */
const MAX_HINTS = 20;

export async function checkCommands(
  { tasks }: Pick<Playbook, 'tasks'>,
  registry: Registry,
  problems: Problems,
): Promise<void> {
  let unknown = 0;
  for (const task of tasks.values()) {
    if (task.kind === 'script') {
      const { args, required } = SCRIPTS[task.script];
      checkArguments(task, { subject: task.script, remark: ' that can be rehearsed', names: args, required }, problems);
    }
    if (task.kind !== 'command' || task.command === '') continue;
    const command = await findCommand(registry, task.command);
    if (command === undefined) {
      unknown += 1;
      const near = unknown <= MAX_HINTS ? didYouMean(task.command, Object.keys(registry)) : undefined;
      problems.add(placeOf(task, 'task', 'script'), `there is no command "${task.command.slice(0, 80)}".`, near);
    } else checkArguments(task, expectedBy(command), problems);
  }
}

interface Expected {
  readonly subject: string;
  /** Remark that follows the name of an unknown argument. */
  readonly remark: string;
  readonly names: readonly string[];
  /** Other names, which are accepted but not suggested. */
  readonly generic?: readonly string[];
  readonly required: readonly string[];
}

function expectedBy({ name: subject, args }: Command): Expected {
  const names = Object.keys(args);
  const required = names.filter((name) => args[name]?.required === true && args[name].default === undefined);
  return { subject, remark: '', names, generic: GENERIC_NAMES, required };
}

function checkArguments(
  task: Extract<Task, { readonly kind: 'command' | 'script' }>,
  { subject, remark, names, generic = [], required }: Expected,
  problems: Problems,
): void {
  const given = task.arguments.map(([name]) => name);
  for (const name of given) {
    if (names.includes(name) || generic.includes(name)) continue;
    const what = `${subject} has no argument "${name.slice(0, 60)}"${remark}.`;
    problems.add(placeOf(task, 'scriptarguments', name), what, didYouMean(name, names));
  }
  for (const name of required) {
    if (given.includes(name)) continue;
    problems.add(placeOf(task, 'scriptarguments'), `the required argument ${name} of ${subject} is missing.`);
  }
}

/** Loads each command of a playbook once. */
export async function commandsOf({ tasks }: Pick<Playbook, 'tasks'>, registry: Registry): Promise<readonly Command[]> {
  const names = new Set([...tasks.values()].flatMap((task) => (task.kind === 'command' ? [task.command] : [])));
  const found: Command[] = [];
  for (const name of names) {
    const command = await findCommand(registry, name);
    if (command !== undefined) found.push(command);
  }
  return found;
}

/** Collects the context paths of secrets for all commands of a playbook. */
export async function secretPaths(playbook: Pick<Playbook, 'tasks'>, registry: Registry): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const { output: own, job } of await commandsOf(playbook, registry)) {
    for (const output of [own, job?.output]) {
      for (const [field, { secret }] of Object.entries(output?.record.fields ?? {})) {
        if (secret === true) paths.add(`${output?.record.path ?? ''}.${field}`);
      }
    }
  }
  return paths;
}
