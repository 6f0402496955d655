/** What went into a task, what it compared, and what came out. */
import { type Compared, type DoneTask, type GraphTask, kindOf, nameOf, STATES, type TaskState } from './graph-model.ts';
import { Json } from './parts.tsx';

export interface TaskDetailsProps {
  readonly task: GraphTask;
  readonly state: TaskState;
  /** Undefined for a task that has not run. */
  readonly done: DoneTask | undefined;
}

/** Shows the details of a task. */
export function TaskDetails({ task, state, done }: TaskDetailsProps) {
  const { mark, word } = STATES[state];
  const { inputs = [], wrote = {}, compared = [] } = done?.trace ?? {};
  return (
    <>
      <h2 dir="auto">{nameOf(task)}</h2>
      <p>
        <code>{kindOf(task)}</code> {word === '' ? undefined : <strong class={state}>{`${mark} ${word}`}</strong>}
      </p>
      {done?.error === undefined ? undefined : <p class="problem">{done.error.message}</p>}
      {done === undefined ? <p class="soft">It has not run yet.</p> : undefined}
      {inputs.map((input, at) => (
        <section key={at}>
          <h3>{inputs.length === 1 ? 'Went in' : `Went in, run ${at + 1}`}</h3>
          <Json value={input} />
        </section>
      ))}
      {compared.length === 0 ? undefined : <Comparisons compared={compared} branch={done?.branch} />}
      {Object.entries(wrote).map(([path, value]) => (
        <section key={path}>
          <h3>
            Came out: <code>{path}</code>
          </h3>
          <Json value={value} />
        </section>
      ))}
      {done?.notes?.map((note) => (
        <p key={note} dir="auto">
          {note}
        </p>
      ))}
    </>
  );
}

function Comparisons({
  compared,
  branch,
}: {
  readonly compared: readonly Compared[];
  readonly branch: string | undefined;
}) {
  return (
    <section>
      <h3>Compared</h3>
      <ul class="compared">
        {compared.map(({ of, left, operator, right, holds, branch: label }, at) => (
          <li key={at}>
            <span aria-hidden="true">{holds ? '✓' : '✗'}</span> {holds ? 'true' : 'false'}:{' '}
            {of === undefined ? undefined : <code>{of} </code>}
            <code dir="auto">{JSON.stringify(left ?? null)}</code> {operator}{' '}
            {right === undefined ? undefined : <code dir="auto">{JSON.stringify(right)}</code>}{' '}
            <span class="soft">for the branch {label}</span>
          </li>
        ))}
      </ul>
      <p>
        It took the branch <strong dir="auto">{branch ?? 'else'}</strong>.
      </p>
    </section>
  );
}
