/** What is shown of a playbook: a line for each task, and what it leaves behind. */
import { isObject } from '../../json.ts';
import { type Readable, verticalTable } from '../../output/readable.ts';
import { ERROR, NEXT, type Playbook, type Task } from '../../playbook/playbook.ts';
import type { Ending, Step } from '../../playbook/run.ts';
import { MASK } from '../../redaction/mask.ts';
import type { Result } from '../../result.ts';
import { clean } from './clean.ts';
import type { Style } from './style.ts';

const LONGEST_NAME = 44;

/** Lays out the lines of one playbook. */
export function stepLines({ tasks }: Playbook, style: Style): (step: Step) => string {
  const all = [...tasks.values()];
  const widest = (texts: readonly string[]) => texts.reduce((most, { length }) => Math.max(most, length), 0);
  const [ids, names] = [widest(all.map(({ id }) => id)), Math.min(LONGEST_NAME, widest(all.map(nameOf)))];
  return (step) => {
    const head = `${step.task.id.padStart(ids)}  ${clean(nameOf(step.task)).padEnd(names)}`;
    return `${head}  ${detailOf(step, style)}`.trimEnd();
  };
}

function nameOf({ name, kind }: Task): string {
  return name === '' ? kind : name.replace(/\s+/g, ' ');
}

function detailOf({ task, branch, results, error }: Step, style: Style): string {
  if (error !== undefined)
    return `${style.red('failed')}: ${clean(error.message).replace(/\n/g, ' ')}${goesOn(branch)}`;
  if (task.kind === 'condition') return style.bold(`-> ${clean(branch ?? '')}`);
  return task.kind === 'command' ? `!${task.command}${timesOf(results)}${leftBy(results)}` : '';
}

function goesOn(branch: string | undefined): string {
  if (branch === undefined) return '';
  return branch === ERROR ? ' (its error path goes on)' : ' (the playbook goes on)';
}

function timesOf({ length }: readonly Result[]): string {
  return length === 1 ? '' : `, ${length} times`;
}

/** Context paths, with how many records went there. */
function leftBy(results: readonly Result[]): string {
  if (results.some(({ planned }) => planned)) return ': planned, and nothing was changed';
  const counts = countsOf(results);
  const paths = Object.entries(counts).map(([path, count]) => `${path} (${count})`);
  return paths.length === 0 ? '' : `: ${paths.join(', ')}`;
}

function countsOf(results: readonly Result[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path, value } of results.flatMap(({ writes }) => writes)) {
    counts[path] = (counts[path] ?? 0) + (Array.isArray(value) ? value.length : 1);
  }
  return counts;
}

/** The outputs for people: those that have a value, without secrets, and long ones by their number. */
export function outputsReadable({ outputs }: Ending, secrets: ReadonlySet<string>, simulated: boolean): Readable {
  const there = Object.entries(outputs).filter(([, value]) => value !== null && value !== '');
  const shown = there.map(([path, value]) => [path, hidden(value, path, secrets)] as const);
  const hides = JSON.stringify(shown) !== JSON.stringify(there);
  const table = verticalTable(shown.map(([path, value]) => [path, counted(value)] as const));
  const notes = hides ? ['Secrets are hidden here; with --output json they are in the outputs.'] : [];
  return { title: 'Outputs', simulated, tables: [table], notes };
}

function counted(value: unknown): unknown {
  return Array.isArray(value) && value.some(isObject) ? `${value.length} records` : value;
}

function hidden(value: unknown, path: string, secrets: ReadonlySet<string>): unknown {
  if (value === null || value === undefined) return value;
  if (secrets.has(path)) return MASK;
  if (Array.isArray(value)) return value.map((item) => hidden(item, path, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, hidden(item, `${path}.${name}`, secrets)]),
  );
}

/** A task for programs. */
export function stepJson({ task: { id, name, ...task }, branch, results, error }: Step) {
  const outcome = error === undefined ? 'done' : branch === undefined ? 'failed' : 'handled';
  return {
    id,
    name,
    kind: task.kind,
    ...(task.kind === 'command' ? { command: task.command, times: results.length, records: countsOf(results) } : {}),
    outcome,
    ...(branch === undefined || branch === NEXT ? {} : { branch }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  };
}
