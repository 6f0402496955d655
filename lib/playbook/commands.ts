/** Checks the commands of a playbook against the registry before any of them runs. */
import { GENERIC_NAMES } from '../arguments/generic.ts';
import { didYouMean } from '../arguments/suggest.ts';
import { type Command, findCommand, type Registry } from '../engine/command.ts';
import type { CommandTask, Playbook, ScriptTask, Task } from './playbook.ts';
import { type Problems, placeOf } from './problems.ts';
import { scriptArguments } from './scripts.ts';

/** Limits suggestions: each compares a name with all commands, and a large playbook may have thousands of problems. */
const MAX_HINTS = 20;

/** Reports unknown commands, and unknown or missing arguments. */
export async function checkCommands(
  { tasks }: Pick<Playbook, 'tasks'>,
  registry: Registry,
  problems: Problems,
): Promise<void> {
  const names = Object.keys(registry);
  let unknown = 0;
  for (const task of tasks.values()) {
    if (task.kind === 'script') checkScript(task, problems);
    if (task.kind !== 'command' || task.command === '') continue;
    const command = await findCommand(registry, task.command);
    if (command !== undefined) checkArguments(task, command, problems);
    else {
      unknown += 1;
      const near = unknown <= MAX_HINTS ? didYouMean(task.command, names) : undefined;
      problems.add(placeOf(task, 'task', 'script'), `there is no command "${task.command.slice(0, 80)}".`, near);
    }
  }
}

function checkArguments(task: Task & CommandTask, { args }: Command, problems: Problems): void {
  const names = Object.keys(args);
  const argumentNames = task.arguments.map(([name]) => name);
  for (const name of argumentNames) {
    if (names.includes(name) || GENERIC_NAMES.includes(name)) continue;
    const place = placeOf(task, 'scriptarguments', name);
    problems.add(place, `${task.command} has no argument "${name.slice(0, 60)}".`, didYouMean(name, names));
  }
  for (const name of names) {
    const { required, default: standard } = args[name] ?? {};
    if (required !== true || standard !== undefined || argumentNames.includes(name)) continue;
    problems.add(placeOf(task, 'scriptarguments'), `the required argument ${name} of ${task.command} is missing.`);
  }
}

function checkScript(task: Task & ScriptTask, problems: Problems): void {
  const { args, required } = scriptArguments(task.script);
  const argumentNames = task.arguments.map(([name]) => name);
  for (const name of argumentNames) {
    if (args.includes(name)) continue;
    const place = placeOf(task, 'scriptarguments', name);
    const what = `${task.script} has no argument "${name.slice(0, 60)}" that can be rehearsed.`;
    problems.add(place, what, didYouMean(name, args));
  }
  for (const name of required) {
    if (argumentNames.includes(name)) continue;
    problems.add(placeOf(task, 'scriptarguments'), `the required argument ${name} of ${task.script} is missing.`);
  }
}

/** Loads the commands of a playbook, each once. */
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
