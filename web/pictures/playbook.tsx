/** One playbook: its inputs, its graph and the details of a task, which light up while it is rehearsed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GraphTask } from '../../lib/playbook/graph.ts';
import { Act } from '../entries/act.tsx';
import { Json } from '../entries/json.tsx';
import { commands } from '../state.ts';
import { Graph } from './graph.tsx';
import type { DrawnPlaybook } from './graph-model.ts';
import { ProblemBox } from './parts.tsx';
import { forget, rehearse, rehearsed, stopRehearsal } from './rehearsal.ts';

export interface PlaybookProps {
  /** Name, or YAML. */
  readonly playbook: string;
  readonly graph: DrawnPlaybook;
}

/** Shows a playbook. */
export function Playbook({ playbook, graph }: PlaybookProps) {
  const chosen = useSignal<string | undefined>(undefined);
  useEffect(() => forget, []);
  const task = graph.tasks.find(({ id }) => id === chosen.value);
  return (
    <>
      <h1 dir="auto">{graph.title}</h1>
      <RehearsalForm playbook={playbook} graph={graph} />
      <Progress />
      <div class="split">
        <Graph graph={graph} chosen={chosen} />
        <section aria-label="Task">
          {task === undefined ? (
            <p class="soft">Choose a task to see what went in and what came out.</p>
          ) : (
            <TaskDetails task={task} />
          )}
        </section>
      </div>
    </>
  );
}

/** The inputs, and the buttons that the caller may press. */
function RehearsalForm({ playbook, graph }: PlaybookProps) {
  const names = [...new Set(graph.tasks.flatMap(({ command }) => command ?? []))];
  const refused = names.filter((name) => !commands.value.has(name));
  const deletions = names.filter((name) => commands.value.get(name)?.effect === 'delete');
  const isRunning = rehearsed.value.phase === 'running';
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const isDry = event.submitter?.getAttribute('value') === 'dry';
    // As the terminal, the room asks before a deletion.
    const asked = `It deletes, with ${deletions.join(', ')}. Rehearse and delete?`;
    if (!isDry && deletions.length > 0 && !confirm(asked)) return;
    const filled = [...new FormData(event.currentTarget as HTMLFormElement)].filter(([, text]) => text !== '');
    void rehearse(playbook, Object.fromEntries(filled), isDry);
  };
  const fields = (isRequired: boolean) => (
    <div class="fields">
      {graph.inputs
        .filter(({ required }) => required === isRequired)
        .map(({ name, description, default: usual }) => (
          <label key={name}>
            {name} {isRequired ? '(required)' : ''}
            <input name={name} required={isRequired} placeholder={usual} />
            <small class="soft">{description}</small>
          </label>
        ))}
    </div>
  );
  return (
    <form class="inputs" onSubmit={onSubmit}>
      {fields(true)}
      <details>
        <summary>More inputs</summary>
        {fields(false)}
      </details>
      {refused.length > 0 ? (
        <p>This token may not run {refused.join(', ')}, so it cannot rehearse this playbook.</p>
      ) : (
        <div class="tools">
          <button type="submit" class="primary" disabled={isRunning}>
            Rehearse
          </button>
          <button type="submit" value="dry" disabled={isRunning}>
            Dry run
          </button>
          <Act disabled={!isRunning} on={stopRehearsal}>
            Stop
          </Act>
        </div>
      )}
    </form>
  );
}

/** Tells how far the rehearsal is, and what came out. */
function Progress() {
  const { phase, done, run, problem } = rehearsed.value;
  const { outputs, failure } = (run?.result ?? {}) as { outputs?: unknown; failure?: { message: string } };
  const why = problem ?? run?.problem ?? (failure && { status: 0, code: '', ...failure, detail: failure.message });
  const end = phase === 'ended' ? `The rehearsal has ended: ${run?.state ?? 'failed'}. ` : '';
  return (
    <>
      <p role="status">{phase === 'idle' ? '' : `${end}${done.size} tasks ran.`}</p>
      {why === undefined ? undefined : <ProblemBox problem={why} />}
      {outputs === undefined ? undefined : <Json name="Outputs" value={outputs} />}
    </>
  );
}

/** What went into a task, what it compared, and what came out. */
function TaskDetails({ task: { id, name, kind, command } }: { readonly task: GraphTask }) {
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
