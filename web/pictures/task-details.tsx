/** What went into a task, what it compared, and what came out. */
import type { GraphTask } from '../../lib/playbook/graph.ts';
import { Json } from '../entries/json.tsx';
import { rehearsed } from './rehearsal.ts';

/** Shows the details of a task. */
export function TaskDetails({ task: { id, name, kind, command } }: { readonly task: GraphTask }) {
  const { error, trace } = rehearsed.value.done.get(id) ?? {};
  const { inputs = [], wrote = {}, compared = [] } = trace ?? {};
  return (
    <>
      <h2 dir="auto">{name || kind}</h2>
      <code>{command}</code>
      <p class="problem">{error?.message}</p>
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
