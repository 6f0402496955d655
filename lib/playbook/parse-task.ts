/** Parses one task of a playbook: start, title, condition or command. Other kinds are reported as problems. */

import type { LineOf } from '../documents/places.ts';
import { isObject, type JsonObject, objectOf } from '../engine/json.ts';
import { listOf, parseValue, type ReportProblem, reporterAt, testOf, textOf, within } from './parse-value.ts';
import {
  type AfterError,
  type CommandTask,
  type ConditionTask,
  DEFAULT,
  ERROR,
  NEXT,
  type PassTask,
  type QuestionTask,
  type ScriptTask,
  type Task,
} from './playbook.ts';
import { type Problems, placeOf } from './problems.ts';
import { isScript, SCRIPT_NAMES } from './scripts.ts';

const PASS = { kind: 'title' } as const;
/** The integration whose commands are rehearsed; a task may omit it. */
const BRANDS = ['', 'AiSec'];
const OURS = `Commands of AiSec can be, and ${SCRIPT_NAMES.join(', ')}.`;
/** The platform's default limit of a loop. */
const STANDARD_MOST = 100;

export function taskOf(id: string, source: JsonObject, problems: Problems, lineOf: LineOf): Task {
  const inner = objectOf(source['task']);
  const type = textOf(source['type']) ?? '';
  const base = {
    id,
    name: textOf(inner['name']) ?? '',
    line: lineOf(['tasks', id]),
    next: nextOf(source['nexttasks']),
  };
  const report = reporterAt(problems, placeOf({ ...base, kind: 'title' }));
  const own = kindOf(type, source, inner, report);
  const task: Task = { ...base, ...own };
  checkBranches(task, report);
  return task;
}

function kindOf(
  type: string,
  source: JsonObject,
  inner: JsonObject,
  report: ReportProblem,
): CommandTask | ScriptTask | ConditionTask | QuestionTask | PassTask {
  switch (type) {
    case 'start':
    case 'title':
      return { kind: type };
    case 'condition':
      return conditionOf(source, inner, report);
    case 'regular':
      return actionOf(source, inner, report);
    default:
      report(
        `a task of type "${type.slice(0, 40)}" cannot be rehearsed.`,
        'Start, title, condition, question, script and command can be.',
        ['type'],
      );
      return PASS;
  }
}

function nextOf(source: unknown): Task['next'] {
  const branches = Object.entries(objectOf(source));
  return new Map(branches.map(([label, ids]) => [label, listOf(ids).map((id) => textOf(id) ?? '')]));
}

function conditionOf(source: JsonObject, inner: JsonObject, report: ReportProblem): ConditionTask | QuestionTask {
  const script = scriptOf(inner);
  const conditions = listOf(source['conditions']).filter(isObject);
  if (script !== undefined)
    report(`the script "${script}" cannot be rehearsed.`, 'Conditions on context values can be.');
  else if (conditions.length === 0) return { kind: 'question' };
  const branches = conditions.map(({ label, condition }, at) => ({
    label: textOf(label) ?? '',
    test: testOf(condition, within(report, 'conditions', at, 'condition')),
  }));
  for (const [at, { label, test }] of branches.entries())
    if (test.length === 0) within(report, 'conditions', at)(`the branch "${label}" has no condition.`);
  return { kind: 'condition', branches };
}

function actionOf(source: JsonObject, inner: JsonObject, report: ReportProblem): CommandTask | ScriptTask {
  const script = scriptOf(inner);
  const action = {
    arguments: Object.entries(objectOf(source['scriptarguments'])).flatMap(([name, value]) => {
      const below = within(report, 'scriptarguments', name);
      const read = parseValue(value, (what, hint, path) => below(`${name}: ${what}`, hint, path));
      return read === undefined ? [] : [[name, read] as const];
    }),
    afterError: afterErrorOf(source),
  };
  const forEach = forEachOf(objectOf(source['loop']), report);
  // The platform names a command of any integration by three bars without a brand.
  const name = script?.replace(/^\|\|\|/, '') ?? '';
  if (isScript(name)) return { kind: 'script', script: name, ...action };
  return { kind: 'command', command: commandName(script, report), forEach, ...action };
}

/** Extracts the command's name. @param script such as `AiSec|||aisec-runtime-scan` @returns '' for any other script */
function commandName(script: string | undefined, report: ReportProblem): string {
  if (script === undefined) {
    report('a person does it, which cannot be rehearsed.');
    return '';
  }
  const [brand = '', command] = script.split('|||');
  if (command === undefined) report(`the script "${script.slice(0, 80)}" cannot be rehearsed.`, OURS);
  else if (BRANDS.includes(brand)) return command;
  else report(`the command "${command.slice(0, 80)}" of "${brand.slice(0, 40)}" cannot be rehearsed.`, OURS);
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
  report: ReportProblem,
): CommandTask['forEach'] {
  const until = [textOf(exitCondition), textOf(scriptId), listOf(builtincondition)[0]];
  if (until.some((each) => each !== undefined && each !== ''))
    report('a loop until a condition holds cannot be rehearsed.');
  return forEach === true ? { most: typeof max === 'number' ? max : STANDARD_MOST } : undefined;
}

function checkBranches(task: Task, report: ReportProblem): void {
  const { next } = task;
  if (task.kind === 'question') {
    if (next.size === 0) report('a person decides here, but it has no branches.');
    return;
  }
  const own = task.kind === 'condition' ? [...task.branches.map(({ label }) => label), DEFAULT] : [NEXT];
  const labels = new Set(own);
  if ((task.kind === 'command' || task.kind === 'script') && task.afterError === 'error-path') {
    labels.add(ERROR);
    if (!next.has(ERROR)) report(`it continues on its error path, but has no branch ${ERROR}.`);
  }
  const at = (label: string) => within(report, 'nexttasks', label);
  for (const label of next.keys())
    if (!labels.has(label)) at(label)(`nothing leads to its branch "${label.slice(0, 60)}".`);
  if (task.kind !== 'condition') return;
  for (const [index, { label }] of task.branches.entries())
    if (!next.has(label)) within(report, 'conditions', index)(`its branch "${label.slice(0, 60)}" leads nowhere.`);
}
