/** Reads one task of a playbook's document: start, title, condition or command. Any other is refused by its name. */
import { isObject, type JsonObject, objectOf } from '../json.ts';
import type { Faults } from './faults.ts';
import {
  type AfterError,
  type CommandTask,
  type ConditionTask,
  DEFAULT,
  ERROR,
  NEXT,
  type Task,
  titleOf,
} from './playbook.ts';
import { givenValue, listOf, type Tell, tellAt, testOf, textOf } from './value-words.ts';

const PASS = { kind: 'title' } as const;
/** The integration whose commands are rehearsed; a task may leave it open. */
const BRANDS = ['', 'AiSec'];
const OURS = 'Commands of AiSec can be.';
/** How often the platform repeats a task where nothing is said. */
const STANDARD_MOST = 100;

export function taskOf(id: string, given: JsonObject, faults: Faults): Task {
  const inner = objectOf(given['task']);
  const type = textOf(given['type']) ?? '';
  const base = { id, name: textOf(inner['name']) ?? '', next: nextOf(given['nexttasks']) };
  const tell = tellAt(faults, titleOf({ ...base, kind: 'title' }));
  const own = kindOf(type, given, inner, tell);
  const task: Task = { ...base, ...own };
  checkBranches(task, tell);
  return task;
}

function kindOf(
  type: string,
  given: JsonObject,
  inner: JsonObject,
  tell: Tell,
): CommandTask | ConditionTask | { kind: 'start' | 'title' } {
  switch (type) {
    case 'start':
    case 'title':
      return { kind: type };
    case 'condition':
      return conditionOf(given, inner, tell);
    case 'regular':
      return commandOf(given, inner, tell);
    default:
      tell(`a task of type "${type.slice(0, 40)}" cannot be rehearsed.`, 'Start, title, condition and command can be.');
      return PASS;
  }
}

function nextOf(given: unknown): Task['next'] {
  const branches = Object.entries(objectOf(given));
  return new Map(branches.map(([label, ids]) => [label, listOf(ids).map((id) => textOf(id) ?? '')]));
}

function conditionOf(given: JsonObject, inner: JsonObject, tell: Tell): ConditionTask {
  const script = scriptOf(inner);
  const conditions = listOf(given['conditions']).filter(isObject);
  if (script !== undefined) tell(`the script "${script}" cannot be rehearsed.`, 'Conditions on context values can be.');
  else if (conditions.length === 0) tell('a person decides here, which cannot be rehearsed.');
  const branches = conditions.map(({ label, condition }) => ({
    label: textOf(label) ?? '',
    test: testOf(condition, tell),
  }));
  for (const { label, test } of branches) if (test.length === 0) tell(`the branch "${label}" has no condition.`);
  return { kind: 'condition', branches };
}

function commandOf(given: JsonObject, inner: JsonObject, tell: Tell): CommandTask {
  return {
    kind: 'command',
    command: commandName(scriptOf(inner), tell),
    arguments: Object.entries(objectOf(given['scriptarguments'])).flatMap(([name, value]) => {
      const read = givenValue(value, (what, hint) => tell(`${name}: ${what}`, hint));
      return read === undefined ? [] : [[name, read] as const];
    }),
    afterError: afterErrorOf(given),
    forEach: forEachOf(objectOf(given['loop']), tell),
  };
}

/** @param script such as `AiSec|||aisec-runtime-scan` @returns an empty text where it names no command of ours */
function commandName(script: string | undefined, tell: Tell): string {
  if (script === undefined) {
    tell('a person does it, which cannot be rehearsed.');
    return '';
  }
  const [brand = '', command] = script.split('|||');
  if (command === undefined) tell(`the script "${script.slice(0, 80)}" cannot be rehearsed.`, OURS);
  else if (BRANDS.includes(brand)) return command;
  else tell(`the command "${command.slice(0, 80)}" of "${brand.slice(0, 40)}" cannot be rehearsed.`, OURS);
  return '';
}

function scriptOf({ script, scriptName }: JsonObject): string | undefined {
  const name = textOf(script) ?? textOf(scriptName);
  return name === '' ? undefined : name;
}

function afterErrorOf({ continueonerror, continueonerrortype }: JsonObject): AfterError {
  if (continueonerror !== true) return 'stop';
  return continueonerrortype === 'errorPath' ? 'error-path' : 'go-on';
}

function forEachOf(
  { forEach, exitCondition, builtincondition, scriptId, max }: JsonObject,
  tell: Tell,
): CommandTask['forEach'] {
  const until = [textOf(exitCondition), textOf(scriptId), listOf(builtincondition)[0]];
  if (until.some((each) => each !== undefined && each !== ''))
    tell('a loop until a condition holds cannot be rehearsed.');
  return forEach === true ? { most: typeof max === 'number' ? max : STANDARD_MOST } : undefined;
}

function checkBranches(task: Task, tell: Tell): void {
  const { next } = task;
  const own = task.kind === 'condition' ? [...task.branches.map(({ label }) => label), DEFAULT] : [NEXT];
  const labels = new Set(own);
  if (task.kind === 'command' && task.afterError === 'error-path') {
    labels.add(ERROR);
    if (!next.has(ERROR)) tell(`it goes on at its error path, and has no branch ${ERROR}.`);
  }
  for (const label of next.keys()) if (!labels.has(label)) tell(`nothing leads to its branch "${label.slice(0, 60)}".`);
  if (task.kind !== 'condition') return;
  for (const { label } of task.branches)
    if (!next.has(label)) tell(`its branch "${label.slice(0, 60)}" leads nowhere.`);
}
