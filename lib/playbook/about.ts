/** Tells what a playbook does, what it changes, and what its inputs are. */
import { present } from '../core/json.ts';
import type { Effect } from '../core/runtime.ts';
import type { Playbook, Value } from './playbook.ts';

export type AboutPlaybook = ReturnType<typeof aboutPlaybook>;

/** A playbook that ships with the program, as the service lists it. */
export interface ListedPlaybook extends AboutPlaybook {
  readonly name: string;
  readonly taskCount: number;
}

/** Describes a playbook. @param effects of its commands */
export function aboutPlaybook(playbook: Playbook, effects: readonly Effect[]) {
  const { name: title, description } = playbook;
  const changes = [...new Set(effects)].filter((effect) => effect !== 'read');
  return { title, description, effects: changes, inputs: inputsOf(playbook) };
}

function inputsOf({ inputs, tasks }: Playbook) {
  const given = givenArguments(tasks);
  return inputs.map(({ key, value, description, required }) => {
    const text = value !== undefined && 'simple' in value ? value.simple : '';
    const hasDefault = value !== undefined && ('complex' in value || text !== '');
    return {
      ...{ name: key, description, required: required && !hasDefault },
      ...present({ default: text === '' ? undefined : text, argument: given.get(`inputs.${key}`) }),
    };
  });
}

/** Returns the first argument that gets a value unchanged, by the path of the value: it says what an input may be. */
function givenArguments(tasks: Playbook['tasks']) {
  const given = [...tasks.values()].flatMap((task) =>
    task.kind === 'command'
      ? task.arguments.map(([name, value]) => [pathIn(value), { command: task.command, name }] as const)
      : [],
  );
  return new Map(given.toReversed());
}

/** Returns the path of a value that is nothing but a reference. */
function pathIn(value: Value): string {
  if ('simple' in value) return /^\$\{([\w.]+)\}$/.exec(value.simple)?.[1] ?? '';
  const { root, accessor, filters, transformers } = value.complex;
  return filters.length + transformers.length > 0 ? '' : [root, accessor].filter(Boolean).join('.');
}
