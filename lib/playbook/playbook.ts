/** The parts of a platform playbook that can be rehearsed: tasks and the links between them. */

import { type Problem, ValidationError } from '../core/errors.ts';
import { located, NO_SOURCE, type Path, type Source } from '../core/places.ts';
import type { OperatorName, TransformerName } from './operators.ts';
import type { ScriptName } from './scripts.ts';

/** A string with `${references}`, or a selection from the context. */
export type Value = { readonly simple: string } | { readonly complex: Selection };

/** A context value with its filters and transformers. */
export interface Selection {
  readonly root: string;
  readonly filters: Test;
  /** The selected member of each item; undefined: the items themselves. */
  readonly accessor: string | undefined;
  readonly transformers: readonly Transformation[];
}

export interface Transformation {
  readonly name: TransformerName;
  readonly args: Readonly<Record<string, Operand>>;
}

/** Groups that must all be true; a group is true if one of its comparisons is true. */
export type Test = readonly (readonly Comparison[])[];

export interface Comparison {
  readonly operator: OperatorName;
  readonly left: Operand;
  readonly right: Operand;
  readonly ignoreCase: boolean;
}

export interface Operand {
  readonly value: Value | undefined;
  /** A string without references is a context path. */
  readonly isPath: boolean;
}

/** How the playbook continues after a failed command. */
export type AfterError = 'stop' | 'go-on' | 'error-path';

export interface CommandTask {
  readonly kind: 'command';
  readonly command: string;
  readonly arguments: readonly (readonly [string, Value])[];
  readonly afterError: AfterError;
  /** Runs once for each item of its lists, up to `most`; undefined: only for lists in arguments that take one value. */
  readonly forEach: { readonly most: number } | undefined;
}

export interface ConditionTask {
  readonly kind: 'condition';
  /** Branches in order: a run takes the first branch whose test is true. */
  readonly branches: readonly { readonly label: string; readonly test: Test }[];
}

/** Runs a script of the platform, or a command of another integration, that a rehearsal knows. */
export interface ScriptTask {
  readonly kind: 'script';
  readonly script: ScriptName;
  readonly arguments: readonly (readonly [string, Value])[];
  readonly afterError: AfterError;
}

/** A manual condition: a person chooses one of its branches. */
export interface QuestionTask {
  readonly kind: 'question';
}

/** A start, title or end, without an action. */
interface PassTask {
  readonly kind: 'start' | 'title';
}

export type TaskKind = CommandTask | ScriptTask | ConditionTask | QuestionTask | PassTask;

export type Task = TaskKind & {
  readonly id: string;
  readonly name: string;
  /** Line in its file; undefined if it was not read from a file. */
  readonly line: number | undefined;
  /** Tasks that follow, by branch. */
  readonly next: ReadonlyMap<string, readonly string[]>;
};

/** The branch of a task without conditions. */
export const NEXT = '#none#';
export const DEFAULT = '#default#';
export const ERROR = '#error#';

export interface Input {
  readonly key: string;
  readonly value: Value | undefined;
  readonly required: boolean;
  readonly description: string;
  readonly line: number | undefined;
}

export interface Playbook {
  /** File that the playbook was read from, as the user names it. */
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly start: string;
  readonly inputs: readonly Input[];
  /** Context paths of its outputs. */
  readonly outputs: readonly string[];
  readonly tasks: ReadonlyMap<string, Task>;
}

/** A playbook that ships with the program. */
export interface PlaybookText {
  /** Such as `scan-prompt`. */
  readonly name: string;
  readonly text: string;
}

/** Names a task in messages. */
export function titleOf({ id, name, kind }: Pick<Task, 'id' | 'name' | 'kind'>): string {
  return `Task ${id} (${name === '' ? kind : name})`;
}

/** The part of a playbook in which a problem was found. */
export interface Place {
  /** A name such as `Task 3 (Scan)`; empty for the playbook itself. */
  readonly title: string;
  readonly path: Path;
}

export interface Problems {
  add(place: Place, what: string, hint?: string): void;
  /** @throws ValidationError if there are any problems, in the order of their lines */
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
