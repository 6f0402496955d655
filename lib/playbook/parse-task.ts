/** Parses one task of a playbook: start, title, condition or command. Other kinds are reported as problems. */

import { objectOf } from '../core/json.ts';
import type { LineOf } from '../core/places.ts';
import { anyOf, flagOf, list, numberOf, object } from '../core/received.ts';
import {
  asList,
  hasEntry,
  parseTemplateValue,
  parseTest,
  type ReportProblem,
  reporterAt,
  scalarText,
  underKeys,
} from './parse-value.ts';
import {
  type AfterError,
  type CommandTask,
  type ConditionTask,
  DEFAULT,
  ERROR,
  NEXT,
  type Problems,
  placeOf,
  type QuestionTask,
  type ScriptTask,
  type Task,
  type TaskKind,
} from './playbook.ts';
import { SCRIPTS } from './scripts.ts';

/** The integration whose commands a rehearsal runs; a task may omit its name. */
const BRANDS = ['', 'AiSec'];
const OURS = `Commands of AiSec can be, and ${Object.keys(SCRIPTS).join(', ')}.`;
/** The platform's default limit of a loop. */
const STANDARD_MOST = 100;

const readSource = object({
  type: scalarText,
  task: object({ name: scalarText, script: scalarText, scriptName: scalarText }),
  nexttasks: objectOf,
  conditions: list({ label: scalarText, condition: anyOf }),
  scriptarguments: objectOf,
  loop: object({
    forEach: flagOf,
    exitCondition: scalarText,
    builtincondition: asList,
    scriptId: scalarText,
    max: numberOf,
  }),
  continueonerror: flagOf,
  continueonerrortype: anyOf,
});

type Source = ReturnType<typeof readSource>;

export function taskOf(id: string, value: unknown, problems: Problems, lineOf: LineOf): Task {
  const source = readSource(value);
  const { name = '' } = source.task;
  const branches = Object.entries(source.nexttasks);
  const next = new Map(branches.map(([label, ids]) => [label, asList(ids).map((each) => scalarText(each) ?? '')]));
  const base = { id, name, line: lineOf(['tasks', id]), next };
  const report = reporterAt(problems, placeOf({ ...base, kind: 'title' }));
  const task: Task = { ...base, ...kindOf(source, report) };
  checkBranches(task, report);
  return task;
}

function kindOf(source: Source, report: ReportProblem): TaskKind {
  const { type = '' } = source;
  switch (type) {
    case 'start':
    case 'title':
      return { kind: type };
    case 'condition':
      return conditionOf(source, report);
    case 'regular':
      return actionOf(source, report);
    default:
      report(
        `a task of type "${type.slice(0, 40)}" cannot be rehearsed.`,
        'Start, title, condition, question, script and command can be.',
        ['type'],
      );
      return { kind: 'title' };
  }
}

function conditionOf(source: Source, report: ReportProblem): ConditionTask | QuestionTask {
  const { conditions } = source;
  const script = scriptOf(source);
  if (script !== undefined)
    report(`the script "${script}" cannot be rehearsed.`, 'Conditions on context values can be.');
  else if (conditions.length === 0) return { kind: 'question' };
  const branches = conditions.map(({ label = '', condition }, at) => ({
    label,
    test: parseTest(condition, underKeys(report, 'conditions', at, 'condition')),
  }));
  for (const [at, { label, test }] of branches.entries())
    if (test.length === 0) underKeys(report, 'conditions', at)(`the branch "${label}" has no condition.`);
  return { kind: 'condition', branches };
}

function actionOf(source: Source, report: ReportProblem): CommandTask | ScriptTask {
  const script = scriptOf(source);
  const action = {
    arguments: Object.entries(source.scriptarguments).flatMap(([name, value]) => {
      const below = underKeys(report, 'scriptarguments', name);
      const read = parseTemplateValue(value, (what, hint, path) => below(`${name}: ${what}`, hint, path));
      return read === undefined ? [] : [[name, read] as const];
    }),
    afterError: afterErrorOf(source),
  };
  const forEach = forEachOf(source.loop, report);
  // The platform writes a command of any integration as three bars without a brand.
  const name = script?.replace(/^\|\|\|/, '') ?? '';
  if (hasEntry(SCRIPTS, name)) return { kind: 'script', script: name, ...action };
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

function scriptOf({ task: { script, scriptName } }: Source): string | undefined {
  const name = script ?? scriptName;
  return name === '' ? undefined : name;
}

function afterErrorOf({ continueonerror, continueonerrortype }: Source): AfterError {
  if (continueonerror !== true) return 'stop';
  return continueonerrortype === 'errorPath' ? 'error-path' : 'go-on';
}

function forEachOf(loop: Source['loop'], report: ReportProblem): CommandTask['forEach'] {
  const until = [loop.exitCondition, loop.scriptId, loop.builtincondition[0]];
  if (until.some((each) => each !== undefined && each !== ''))
    report('a loop until a condition holds cannot be rehearsed.');
  return loop.forEach === true ? { most: loop.max ?? STANDARD_MOST } : undefined;
}

function checkBranches(task: Task, report: ReportProblem): void {
  const { next } = task;
  if (task.kind === 'question') {
    if (next.size === 0) report('a person decides here, but it has no branches.');
    return;
  }
  const branches = task.kind === 'condition' ? task.branches : [];
  const labels = new Set(task.kind === 'condition' ? [...branches.map(({ label }) => label), DEFAULT] : [NEXT]);
  if ((task.kind === 'command' || task.kind === 'script') && task.afterError === 'error-path') {
    labels.add(ERROR);
    if (!next.has(ERROR)) report(`it continues on its error path, but has no branch ${ERROR}.`);
  }
  for (const label of next.keys())
    if (!labels.has(label))
      underKeys(report, 'nexttasks', label)(`nothing leads to its branch "${label.slice(0, 60)}".`);
  for (const [index, { label }] of branches.entries())
    if (!next.has(label)) underKeys(report, 'conditions', index)(`its branch "${label.slice(0, 60)}" leads nowhere.`);
}
