/** A playbook of the platform, as far as it can be rehearsed: tasks, and what leads from one to the next. */
import type { OperatorName } from './operators.ts';
import type { TransformerName } from './transformers.ts';

/** A text with `${references}`, or a choice out of the context. */
export type Value = { readonly simple: string } | { readonly complex: Selection };

/** A value of the context, what is kept of it, and what is made of that. */
export interface Selection {
  readonly root: string;
  readonly filters: Test;
  /** The member of each item that is meant; undefined: the items themselves. */
  readonly accessor: string | undefined;
  readonly transformers: readonly TransformerName[];
}

/** All of the groups have to hold, and of each group any comparison. */
export type Test = readonly (readonly Comparison[])[];

export interface Comparison {
  readonly operator: OperatorName;
  readonly left: Operand;
  readonly right: Operand;
  readonly ignoreCase: boolean;
}

/** One side of a comparison. */
export interface Operand {
  readonly value: Value | undefined;
  /** A plain text is a path into the context, not a text. */
  readonly isPath: boolean;
}

/** What happens after a command that failed. */
export type AfterError = 'stop' | 'go-on' | 'error-path';

export interface CommandTask {
  readonly kind: 'command';
  readonly command: string;
  readonly arguments: readonly (readonly [string, Value])[];
  readonly afterError: AfterError;
  /** Once for each item of every list, however many the task allows; undefined: of lists that the command cannot take. */
  readonly forEach: { readonly most: number } | undefined;
}

export interface ConditionTask {
  readonly kind: 'condition';
  /** The first one that holds decides. */
  readonly branches: readonly { readonly label: string; readonly test: Test }[];
}

/** A beginning, a heading or an end: it leads on, if it leads anywhere. */
export interface PassTask {
  readonly kind: 'start' | 'title';
}

export type Task = (CommandTask | ConditionTask | PassTask) & {
  readonly id: string;
  readonly name: string;
  /** Tasks that follow, by branch. */
  readonly next: ReadonlyMap<string, readonly string[]>;
};

/** The branch of what is not decided. */
export const NEXT = '#none#';
export const DEFAULT = '#default#';
export const ERROR = '#error#';

export interface Input {
  readonly key: string;
  /** Taken where nothing is given. */
  readonly value: Value | undefined;
  readonly required: boolean;
  readonly description: string;
}

export interface Playbook {
  readonly name: string;
  readonly start: string;
  readonly inputs: readonly Input[];
  /** Context paths that it leaves behind. */
  readonly outputs: readonly string[];
  readonly tasks: ReadonlyMap<string, Task>;
}

/** A task, for messages. */
export function titleOf({ id, name, kind }: Pick<Task, 'id' | 'name' | 'kind'>): string {
  return `Task ${id} (${name === '' ? kind : name})`;
}
