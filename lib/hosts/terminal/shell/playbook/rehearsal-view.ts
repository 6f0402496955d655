/** Renders the run of a playbook: a line for each task, and the outputs. */

import { isObject } from '../../../../core/json.ts';
import type { Amount } from '../../../../core/progress.ts';
import { grouped, plural } from '../../../../core/text/numbers.ts';
import { DEFAULT, ERROR, type Playbook, type Task } from '../../../../playbook/playbook.ts';
import type { PlaybookResult, Step } from '../../../../playbook/rehearse.ts';
import { maskAt, notesOf, recordCounts, type Trace, type TracedComparison } from '../../../../playbook/trace.ts';
import { type Readable, verticalTable } from '../../../../runtime/output/readable.ts';
import type { Result } from '../../../../runtime/output/result.ts';
import { columns } from '../../ui/measure.ts';
import { sanitize } from '../../ui/sanitize.ts';
import type { Style } from '../../ui/style.ts';
import { cutAtWord } from '../../ui/wrap.ts';

const MAX_NAME_LENGTH = 44;

/** Creates the renderer of a playbook's task lines. */
export function stepLines({ tasks }: Playbook, style: Style): (step: Step) => string {
  const all = [...tasks.values()];
  const widest = (texts: readonly string[]) => texts.reduce((most, { length }) => Math.max(most, length), 0);
  const [ids, names] = [widest(all.map(({ id }) => id)), Math.min(MAX_NAME_LENGTH, widest(all.map(nameOf)))];
  return (step) => {
    const head = `${step.task.id.padStart(ids)}  ${sanitize(nameOf(step.task)).padEnd(names)}`;
    return `${head}  ${detailOf(step, style)}`.trimEnd();
  };
}

/** Renders the progress line at the start of a task. */
export function beginLine(task: Task, { done, total = 0 }: Amount): string {
  const what = cutAtWord(sanitize(nameOf(task)), MAX_NAME_LENGTH, columns);
  return `${what}: ${grouped(done)} of ${plural(total, 'task')}`;
}

function nameOf({ name, kind }: Task): string {
  return name === '' ? kind : name.replace(/\s+/g, ' ');
}

function detailOf({ task, branch, results, error }: Step, style: Style): string {
  if (error !== undefined)
    return `${style.red('failed')}: ${sanitize(error.message).replace(/\n/g, ' ')}${goesOn(branch)}`;
  if (task.kind === 'condition') return style.bold(`-> ${sanitize(branch ?? '')}`);
  if (task.kind === 'question') return style.bold(`-> ${sanitize(branch ?? '')}`);
  if (task.kind === 'script') return `${task.script}: ${sanitize(notesOf(results).join(' ')).replace(/\s+/g, ' ')}`;
  return task.kind === 'command' ? `!${task.command}${timesOf(results)}${leftBy(results)}` : '';
}

function goesOn(branch: string | undefined): string {
  if (branch === undefined) return '';
  return branch === ERROR ? ' (continues on its error path)' : ' (the playbook continues)';
}

function timesOf({ length }: readonly Result[]): string {
  return length === 1 ? '' : `, ${length} times`;
}

/** Lists context paths with their record counts. */
function leftBy(results: readonly Result[]): string {
  if (results.some(({ planned }) => planned)) return ': planned, and nothing was changed';
  const counts = recordCounts(results);
  const paths = Object.entries(counts).map(([path, count]) => `${path} (${count})`);
  return paths.length === 0 ? '' : `: ${paths.join(', ')}`;
}

interface OutputsView {
  /** Context paths of secrets. */
  readonly secrets: ReadonlySet<string>;
  /** Whether a one-time secret was saved: running again to see it in the output would replace the secret. */
  readonly isSaved: boolean;
  readonly simulated: boolean;
}

/** Builds the table of outputs that have a value, with secrets masked, and lists of records as counts. */
export function outputsReadable({ outputs }: PlaybookResult, { secrets, isSaved, simulated }: OutputsView): Readable {
  const there = Object.entries(outputs).filter(([, value]) => value !== null && value !== '');
  const shown = there.map(([path, value]) => [path, maskAt(value, path, secrets)] as const);
  const hides = JSON.stringify(shown) !== JSON.stringify(there);
  const table = verticalTable(shown.map(([path, value]) => [path, counted(value)] as const));
  const place = isSaved ? 'a note says which file has a new one.' : 'with --output json they are in the outputs.';
  const notes = hides ? [`Secrets are hidden here; ${place}`] : [];
  return { title: 'Outputs', simulated, tables: [table], notes };
}

function counted(value: unknown): unknown {
  return Array.isArray(value) && value.some(isObject) ? `${value.length} records` : value;
}

/** A traced value may be long, so only its beginning is shown, which identifies it. */
const MAX_VALUE_LENGTH = 300;

/** Renders the inputs, comparisons and outputs of a task, one line each. */
export function traceLines({ inputs, compared, wrote }: Trace, { branch, task }: Step, { dim }: Style): string[] {
  const lines = [
    ...inputs.flatMap((values, at) => [
      ...(inputs.length > 1 ? [`run ${at + 1}`] : []),
      ...Object.entries(values).map(([name, value]) => `in   ${name} = ${valueText(value)}`),
    ]),
    ...compared.map(comparisonText),
    ...(task.kind === 'condition' && branch === DEFAULT ? [`if   no condition holds -> ${DEFAULT}`] : []),
    ...Object.entries(wrote).map(([path, value]) => `out  ${path} = ${valueText(value)}`),
  ];
  return lines.map((line) => dim(`     ${sanitize(line)}`));
}

function comparisonText({ branch, of, left, operator, right, holds }: TracedComparison): string {
  const subject = of === undefined ? valueText(left) : `${of} (${valueText(left)})`;
  const object = right === undefined ? '' : ` ${valueText(right)}`;
  return `if   ${branch}: ${subject} ${operator}${object}: ${holds ? 'holds' : 'does not hold'}`;
}

function valueText(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}
