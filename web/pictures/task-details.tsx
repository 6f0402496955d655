/** What went into a task, what it compared, and what came out. */
import { Json } from '../entries/json.tsx';
import { type DrawnPlaybook, type GraphTask, nameOf, STATES, stateOf } from './graph-model.ts';

import { rehearsed } from './rehearsal.ts';

/** Shows the details of a task. */
export function TaskDetails({ task, graph }: { readonly task: GraphTask; readonly graph: DrawnPlaybook }) {
  const done = rehearsed.value.done.get(task.id);
  const { inputs = [], wrote = {}, compared = [] } = done?.trace ?? {};
  return (
    <>
      <h2 dir="auto">{nameOf(task)}</h2>
      <p>
        <code>{task.command ?? task.kind}</code> <strong>{STATES[stateOf(task.id, rehearsed.value, graph)]}</strong>
      </p>
      <p class="problem">{done?.error?.message}</p>
      {inputs.map((input, at) => (
        <Json key={at} name="Went in" value={input} isOpen />
      ))}
      {compared.map(({ branch, of = '', left, operator, right, holds }, at) => (
        <section key={at}>
          <h3>
            {holds ? '✓ True' : '✗ False'} for the branch <span dir="auto">{branch}</span>
          </h3>
          <p dir="auto">
            <code>{of}</code> <code>{JSON.stringify(left ?? null)}</code> {operator}{' '}
            <code>{right === undefined ? '' : JSON.stringify(right)}</code>
          </p>
        </section>
      ))}
      {Object.entries(wrote).map(([path, value]) => (
        <Json key={path} name={`Came out, ${path}`} value={value} isOpen />
      ))}
    </>
  );
}
