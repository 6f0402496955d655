/** Collects the problems of a playbook, so that one error reports all of them. */

import { type Problem, ValidationError } from '../core/errors.ts';
import { located, NO_SOURCE, type Path, type Source } from '../documents/places.ts';
import { type Task, titleOf } from './playbook.ts';

/** The part of a playbook that a problem concerns. */
export interface Place {
  /** Such as `Task 3 (Scan)`; empty for the playbook itself. */
  readonly title: string;
  readonly path: Path;
}

export interface Problems {
  add(place: Place, what: string, hint?: string): void;
  /** @throws ValidationError if there are any, in the order of their lines */
  end(): void;
}

/** Names a task, or one of its parts. */
export function placeOf(task: Pick<Task, 'id' | 'name' | 'kind'>, ...below: Path): Place {
  return { title: titleOf(task), path: ['tasks', task.id, ...below] };
}

export function collectProblems({ file, lineOf }: Source = NO_SOURCE): Problems {
  const problems: Problem[] = [];
  return {
    add: ({ title, path }, what, hint) => {
      const line = lineOf(path);
      const message = located(file, line, title === '' ? what : `${title}: ${what}`);
      problems.push({ message, hint, ...(line === undefined ? {} : { line }) });
    },
    end: () => {
      if (problems.length === 0) return;
      throw new ValidationError(problems.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)));
    },
  };
}
