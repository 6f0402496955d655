/** One playbook: its inputs, its graph and the details of a task, which light up while it is rehearsed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Act } from '../entries/act.tsx';
import { Json } from '../entries/json.tsx';
import { commands } from '../state.ts';
import { Graph } from './graph.tsx';
import type { DrawnPlaybook } from './graph-model.ts';
import { ProblemBox } from './parts.tsx';
import { forget, rehearse, rehearsed, stopRehearsal } from './rehearsal.ts';
import { TaskDetails } from './task-details.tsx';

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
  const isAsking = useSignal(false);
  const names = [...new Set(graph.tasks.flatMap(({ command }) => command ?? []))];
  const refused = names.filter((name) => !commands.value.has(name));
  const deletions = names.filter((name) => commands.value.get(name)?.effect === 'delete');
  const isRunning = rehearsed.value.phase === 'running';
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const pressed = event.submitter?.getAttribute('value');
    isAsking.value = pressed === 'run' && deletions.length > 0;
    const filled = [...new FormData(event.currentTarget as HTMLFormElement)].filter(([, text]) => text !== '');
    if (!isAsking.value) void rehearse(playbook, Object.fromEntries(filled), pressed === 'dry');
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
          <button type="submit" class="primary" value="run" disabled={isRunning}>
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
      {isAsking.value ? (
        <div class="tools" role="alert">
          It deletes, with {deletions.join(', ')}.
          <button type="submit" class="danger" value="delete">
            Rehearse and delete
          </button>
        </div>
      ) : undefined}
    </form>
  );
}

interface Result {
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly failure?: { readonly message: string; readonly hint?: string };
  readonly failedTask?: string;
}

/** Tells how far the rehearsal is, and what came out. */
function Progress() {
  const { phase, done, run, problem } = rehearsed.value;
  const { outputs, failure, failedTask = 'A task' } = (run?.result ?? {}) as Result;
  const ofTask = failure && { status: 0, code: '', ...failure, detail: `${failedTask}: ${failure.message}` };
  const why = problem ?? run?.problem ?? ofTask;
  const texts = {
    idle: '',
    running: `${done.size} tasks are done.`,
    ended: `The rehearsal has ended: ${run?.state ?? 'failed'}. ${done.size} tasks ran.`,
  };
  return (
    <>
      <p role="status">{texts[phase]}</p>
      {why === undefined ? undefined : <ProblemBox problem={why} />}
      {outputs === undefined ? undefined : <Json name="Outputs" value={outputs} />}
    </>
  );
}
