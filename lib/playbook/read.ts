/** From a document to a playbook that can be rehearsed. Everything that is wrong with it is told at once. */

import type { Registry } from '../command.ts';
import { isObject, type JsonObject, objectsOf } from '../json.ts';
import { checkCommands } from './commands.ts';
import { collectFaults, type Faults } from './faults.ts';
import { checkFlow } from './flow.ts';
import type { Input, Playbook } from './playbook.ts';
import { taskOf } from './task-words.ts';
import { givenValue, tellAt, textOf } from './value-words.ts';

/**
 * @param registry the commands that there are
 * @throws ValidationError that names every task, script, operator, transformer and command that cannot be rehearsed
 */
export async function readPlaybook(document: JsonObject, registry: Registry): Promise<Playbook> {
  const faults = collectFaults();
  const playbook: Playbook = {
    name: textOf(document['name']) ?? textOf(document['id']) ?? '',
    start: textOf(document['starttaskid']) ?? '',
    inputs: objectsOf(document['inputs']).map((input) => inputOf(input, faults)),
    outputs: objectsOf(document['outputs']).flatMap(({ contextPath }) => textOf(contextPath) ?? []),
    tasks: tasksOf(document['tasks'], faults),
  };
  if (playbook.tasks.size === 0) faults.add('', 'The document holds no tasks: it is no playbook.');
  else checkFlow(playbook, faults);
  await checkCommands(playbook, registry, faults);
  faults.end();
  return playbook;
}

function inputOf({ key, value, required, description }: JsonObject, faults: Faults): Input {
  const name = textOf(key) ?? '';
  return {
    key: name,
    value: givenValue(value, tellAt(faults, `Input ${name}`)),
    required: required === true,
    description: textOf(description) ?? '',
  };
}

function tasksOf(given: unknown, faults: Faults): Playbook['tasks'] {
  const tasks = isObject(given) ? Object.entries(given) : [];
  return new Map(tasks.map(([id, task]) => [id, taskOf(id, isObject(task) ? task : {}, faults)]));
}
