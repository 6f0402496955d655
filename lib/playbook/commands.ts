/** Holds the commands of a playbook against those that there are, before any of them runs. */
import { GENERIC_NAMES } from '../arguments/generic.ts';
import { didYouMean } from '../arguments/suggest.ts';
import type { Command, Registry } from '../command.ts';
import type { Faults } from './faults.ts';
import { type CommandTask, type Playbook, titleOf } from './playbook.ts';

/** Each hint compares a name with all commands; a playbook of thousands of tasks may have thousands of mistakes. */
const MOST_HINTS = 20;

export async function checkCommands(
  { tasks }: Pick<Playbook, 'tasks'>,
  registry: Registry,
  faults: Faults,
): Promise<void> {
  const names = Object.keys(registry);
  let unknown = 0;
  for (const task of tasks.values()) {
    if (task.kind !== 'command' || task.command === '') continue;
    const place = titleOf(task);
    const load = Object.hasOwn(registry, task.command) ? registry[task.command] : undefined;
    if (load !== undefined) checkArguments(task, await load(), place, faults);
    else {
      unknown += 1;
      const near = unknown <= MOST_HINTS ? didYouMean(task.command, names) : undefined;
      faults.add(place, `there is no command "${task.command.slice(0, 80)}".`, near);
    }
  }
}

function checkArguments(task: CommandTask, { args }: Command, place: string, faults: Faults): void {
  const names = Object.keys(args);
  const given = task.arguments.map(([name]) => name);
  for (const name of given) {
    if (names.includes(name) || GENERIC_NAMES.includes(name)) continue;
    faults.add(place, `${task.command} has no argument "${name.slice(0, 60)}".`, didYouMean(name, names));
  }
  for (const name of names) {
    const { required, default: standard } = args[name] ?? {};
    if (required !== true || standard !== undefined || given.includes(name)) continue;
    faults.add(place, `the required argument ${name} of ${task.command} is missing.`);
  }
}

/** The context paths that hold secrets, of every command of a playbook. */
export async function secretPaths(
  { tasks }: Pick<Playbook, 'tasks'>,
  registry: Registry,
): Promise<ReadonlySet<string>> {
  const names = new Set([...tasks.values()].flatMap((task) => (task.kind === 'command' ? [task.command] : [])));
  const paths = new Set<string>();
  for (const name of names) {
    const declared = await registry[name]?.();
    for (const output of [declared?.output, declared?.job?.output]) {
      for (const [field, { secret }] of Object.entries(output?.record.fields ?? {})) {
        if (secret === true) paths.add(`${output?.record.path ?? ''}.${field}`);
      }
    }
  }
  return paths;
}
