/**
 * The task graph. As on the platform, a task waits for all its predecessors: it runs when at least one predecessor
 * leads to it and the others are done or will not run.
 */

import { type Playbook, type Problems, placeOf, type Task } from './playbook.ts';

type Tasks = Playbook['tasks'];

/** Checks that every task is reachable, leads to existing tasks, and is not part of a cycle. */
export function checkFlow({ start, tasks }: Pick<Playbook, 'start' | 'tasks'>, problems: Problems): void {
  for (const task of tasks.values()) {
    const missing = targetsOf(task).filter((id) => !tasks.has(id));
    if (missing.length > 0)
      problems.add(placeOf(task, 'nexttasks'), `it leads to ${missing.join(', ')}, which is not there.`);
  }
  if (tasks.has(start)) checkReach(start, tasks, problems);
  else
    problems.add(
      { title: '', path: ['starttaskid'] },
      `The task to start with, "${start.slice(0, 40)}", is not there.`,
    );
}

function checkReach(start: string, tasks: Tasks, problems: Problems): void {
  const reached = reachableFrom(start, tasks);
  const circling = circle(reached, tasks);
  for (const task of tasks.values()) {
    if (!reached.has(task.id)) problems.add(placeOf(task), 'nothing leads to it.');
    if (circling.has(task.id)) problems.add(placeOf(task), 'it leads back to itself, which cannot be rehearsed.');
  }
}

/**
 * Walks through a checked playbook.
 * @param visit runs a task and returns the branch it takes; undefined ends the walk. `behind` counts the tasks before
 * it: those that ran, and those that no branch led to
 */
export async function walk(
  { start, tasks }: Pick<Playbook, 'start' | 'tasks'>,
  visit: (task: Task, behind: number) => Promise<string | undefined>,
): Promise<void> {
  const open = incoming(tasks);
  const wanted = new Set([start]);
  const ready = [start];
  // The list grows during the walk.
  for (const [behind, id] of ready.entries()) {
    const task = tasks.get(id);
    if (task === undefined) continue;
    const branch = wanted.has(id) ? await visit(task, behind) : '';
    if (branch === undefined) return;
    for (const target of task.next.get(branch) ?? []) wanted.add(target);
    for (const target of targetsOf(task)) {
      const left = (open.get(target) ?? 0) - 1;
      open.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
}

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

/** Finds the tasks of cycles: those that remain after tasks without predecessors or successors are removed repeatedly. */
function circle(ids: ReadonlySet<string>, tasks: Tasks): ReadonlySet<string> {
  const left = new Set([...ids].filter((id) => tasks.has(id)));
  const { from, to } = linksOf(left, tasks);
  // A work list keeps the time linear; repeated passes over a chain of tasks would be quadratic.
  const done = [...left].filter((id) => from.get(id)?.size === 0 || to.get(id)?.size === 0);
  for (let id = done.pop(); id !== undefined; id = done.pop()) {
    if (!left.delete(id)) continue;
    for (const target of from.get(id) ?? []) if (withoutOne(to.get(target), id)) done.push(target);
    for (const source of to.get(id) ?? []) if (withoutOne(from.get(source), id)) done.push(source);
  }
  return left;
}

type Links = ReadonlyMap<string, Set<string>>;

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

function withoutOne(links: Set<string> | undefined, id: string): boolean {
  links?.delete(id);
  return links?.size === 0;
}
