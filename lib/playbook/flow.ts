/**
 * What leads to what. As on the platform a task waits for all that lead to it: it runs when one of them leads there and
 * the others are done or will not run, and never runs where none does.
 */
import type { Faults } from './faults.ts';
import { type Playbook, type Task, titleOf } from './playbook.ts';

type Tasks = Playbook['tasks'];

/** Every task can be reached, leads to tasks that there are, and never back to itself. */
export function checkFlow({ start, tasks }: Pick<Playbook, 'start' | 'tasks'>, faults: Faults): void {
  for (const task of tasks.values()) {
    const missing = targetsOf(task).filter((id) => !tasks.has(id));
    if (missing.length > 0) faults.add(titleOf(task), `it leads to ${missing.join(', ')}, which is not there.`);
  }
  if (tasks.has(start)) checkReach(start, tasks, faults);
  else faults.add('', `The task to start with, "${start.slice(0, 40)}", is not there.`);
}

function checkReach(start: string, tasks: Tasks, faults: Faults): void {
  const reached = reachableFrom(start, tasks);
  const circling = circle(reached, tasks);
  for (const task of tasks.values()) {
    if (!reached.has(task.id)) faults.add(titleOf(task), 'nothing leads to it.');
    if (circling.has(task.id)) faults.add(titleOf(task), 'it leads back to itself, which cannot be rehearsed.');
  }
}

/**
 * Walks through a playbook that has been checked.
 * @param visit runs a task and says which branch it takes; undefined ends the walk
 */
export async function walk(
  { start, tasks }: Pick<Playbook, 'start' | 'tasks'>,
  visit: (task: Task) => Promise<string | undefined>,
): Promise<void> {
  const open = incoming(tasks);
  const wanted = new Set([start]);
  const ready = [start];
  // It grows while it is walked through.
  for (const id of ready) {
    const task = tasks.get(id);
    if (task === undefined) continue;
    const branch = wanted.has(id) ? await visit(task) : '';
    if (branch === undefined) return;
    for (const target of task.next.get(branch) ?? []) wanted.add(target);
    for (const target of targetsOf(task)) {
      const left = (open.get(target) ?? 0) - 1;
      open.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
}

/** How many tasks lead to each. */
function incoming(tasks: Tasks): Map<string, number> {
  const counts = new Map<string, number>();
  for (const task of tasks.values()) {
    for (const target of targetsOf(task)) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}

function targetsOf({ next }: Task): readonly string[] {
  return [...new Set([...next.values()].flat())];
}

function reachableFrom(start: string, tasks: Tasks): Set<string> {
  const reached = new Set([start]);
  for (const id of reached) {
    const task = tasks.get(id);
    for (const target of task === undefined ? [] : targetsOf(task)) reached.add(target);
  }
  return reached;
}

/** The tasks that are left when those at which nothing begins, or nothing ends, are taken away again and again. */
function circle(ids: ReadonlySet<string>, tasks: Tasks): ReadonlySet<string> {
  const left = new Set([...ids].filter((id) => tasks.has(id)));
  const { from, to } = linksOf(left, tasks);
  // One by one: looked through again after each, a chain of tasks would take the square of its length.
  const done = [...left].filter((id) => from.get(id)?.size === 0 || to.get(id)?.size === 0);
  for (let id = done.pop(); id !== undefined; id = done.pop()) {
    if (!left.delete(id)) continue;
    for (const target of from.get(id) ?? []) if (withoutOne(to.get(target), id)) done.push(target);
    for (const source of to.get(id) ?? []) if (withoutOne(from.get(source), id)) done.push(source);
  }
  return left;
}

type Links = ReadonlyMap<string, Set<string>>;

/** What each of the tasks leads to, and what leads to it. */
function linksOf(ids: ReadonlySet<string>, tasks: Tasks): { from: Links; to: Links } {
  const from = new Map([...ids].map((id) => [id, new Set<string>()]));
  const to = new Map([...ids].map((id) => [id, new Set<string>()]));
  for (const id of ids) {
    const task = tasks.get(id);
    for (const target of task === undefined ? [] : targetsOf(task)) {
      if (ids.has(target)) from.get(id)?.add(target);
      to.get(target)?.add(id);
    }
  }
  return { from, to };
}

/** @returns whether it was the last one */
function withoutOne(links: Set<string> | undefined, id: string): boolean {
  links?.delete(id);
  return links?.size === 0;
}
