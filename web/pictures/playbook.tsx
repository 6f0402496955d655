/** One playbook: its inputs, its graph and the details of a task, which light up while it is rehearsed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { commands } from '../state.ts';
import { Graph } from './graph.tsx';
import { kindOf, nameOf, type PlaybookGraph, STATES, stateOf } from './graph-model.ts';
import { Json, ProblemBox } from './parts.tsx';
import { ending, forget, problem, rehearse, rehearsed, stopRehearsal } from './rehearsal.ts';
import { TaskDetails } from './task-details.tsx';

export interface PlaybookProps {
  /** Name, or YAML. */
  readonly playbook: string;
  readonly graph: PlaybookGraph;
}

/** Shows a playbook. */
export function Playbook({ playbook, graph }: PlaybookProps) {
  const chosen = useSignal<string | undefined>(undefined);
  useEffect(() => {
    forget();
    return forget;
  }, [playbook]);
  const task = graph.tasks.find(({ id }) => id === chosen.value);
  return (
    <div class="playbook">
      <h1 dir="auto">{graph.title}</h1>
      <RehearsalForm playbook={playbook} graph={graph} />
      <Progress graph={graph} />
      <div class="split">
        {graph.isDrawn ? (
          <Graph graph={graph} rehearsed={rehearsed.value} chosen={chosen} />
        ) : (
          <TaskList graph={graph} onChoose={(id) => (chosen.value = id)} />
        )}
        <section class="details" aria-label="Task">
          {task === undefined ? (
            <p class="soft">Choose a task to see what went in and what came out.</p>
          ) : (
            <TaskDetails
              task={task}
              state={stateOf(task.id, rehearsed.value, graph)}
              done={rehearsed.value.done.get(task.id)}
            />
          )}
        </section>
      </div>
    </div>
  );
}

/** The inputs, and the buttons that the caller may press. */
function RehearsalForm({ playbook, graph }: PlaybookProps) {
  const inputs = useSignal<Readonly<Record<string, string>>>({});
  const question = useSignal<readonly string[]>([]);
  const names = [...new Set(graph.tasks.flatMap(({ command }) => command ?? []))];
  const refused = names.filter((name) => !commands.value.has(name));
  const deletions = names.filter((name) => commands.value.get(name)?.effect === 'delete');
  const isRunning = rehearsed.value.phase === 'running';
  const start = (dryRun: boolean) => {
    question.value = [];
    void rehearse({ playbook, inputs: inputs.value, dryRun });
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const isDryRun = event.submitter?.getAttribute('value') === 'dry';
    if (isDryRun || deletions.length === 0) start(isDryRun);
    else question.value = deletions;
  };
  const sorted = [...graph.inputs].sort((one, other) => Number(other.required) - Number(one.required));
  const [needed, further] = [sorted.filter(({ required }) => required), sorted.filter(({ required }) => !required)];
  const field = ({ name, description, required }: PlaybookGraph['inputs'][number]) => (
    <div key={name} class="field">
      <label for={`input-${name}`}>
        {name}
        {required ? ' (required)' : ''}
      </label>
      <input
        id={`input-${name}`}
        required={required}
        aria-describedby={`help-${name}`}
        value={inputs.value[name] ?? ''}
        onInput={(event) => {
          inputs.value = { ...inputs.value, [name]: event.currentTarget.value };
        }}
      />
      <span id={`help-${name}`} class="soft">
        {description}
      </span>
    </div>
  );
  return (
    <form class="inputs" onSubmit={onSubmit}>
      <div class="fields">{needed.map(field)}</div>
      {further.length === 0 ? undefined : (
        <details>
          <summary>More inputs</summary>
          <div class="fields">{further.map(field)}</div>
        </details>
      )}
      {refused.length > 0 ? (
        <p>This token may not run {refused.join(', ')}, so it cannot rehearse this playbook.</p>
      ) : (
        <p class="buttons">
          <button type="submit" class="primary" disabled={isRunning}>
            Rehearse
          </button>
          <button type="submit" value="dry" disabled={isRunning}>
            Dry run
          </button>
          <button type="button" disabled={!isRunning} onClick={() => void stopRehearsal()}>
            Stop
          </button>
        </p>
      )}
      {question.value.length === 0 ? undefined : (
        <p class="buttons" role="alert">
          It deletes with {question.value.join(', ')}.
          <button type="button" class="danger" onClick={() => start(false)}>
            Rehearse and delete
          </button>
          <button type="button" onClick={() => (question.value = [])}>
            Cancel
          </button>
        </p>
      )}
    </form>
  );
}

const ENDS: Readonly<Record<string, string>> = {
  succeeded: 'The rehearsal ended.',
  partial: 'The rehearsal ended at a task that failed.',
  failed: 'The rehearsal failed.',
  stopped: 'The rehearsal was stopped.',
};

/** Tells how far the rehearsal is. */
function Progress({ graph }: { readonly graph: PlaybookGraph }) {
  const { phase, done } = rehearsed.value;
  const last = graph.tasks.find(({ id }) => id === [...done.keys()].at(-1));
  const { state = '', problem: failure, result } = ending.value ?? {};
  const {
    failure: taskFailure,
    failedTask,
    outputs = {},
  } = (result ?? {}) as {
    readonly outputs?: Readonly<Record<string, unknown>>;
    readonly failure?: { readonly message: string; readonly hint?: string };
    readonly failedTask?: string;
  };
  const text =
    phase === 'idle'
      ? ''
      : phase === 'ended'
        ? `${ENDS[state] ?? ''} ${done.size} tasks ran.`
        : `${done.size} tasks are done${last === undefined ? '' : `, the last: ${nameOf(last)}`}.`;
  const shown =
    problem.value ??
    failure ??
    (taskFailure === undefined
      ? undefined
      : { status: 0, code: '', ...taskFailure, detail: `${failedTask ?? 'A task'}: ${taskFailure.message}` });
  return (
    <>
      <p role="status">{text}</p>
      {shown === undefined ? undefined : <ProblemBox problem={shown} />}
      {Object.keys(outputs).length === 0 ? undefined : (
        <details>
          <summary>Outputs of the playbook</summary>
          <Json value={outputs} />
        </details>
      )}
    </>
  );
}

/** The tasks of a playbook that is too large to draw. */
function TaskList({ graph, onChoose }: { readonly graph: PlaybookGraph; readonly onChoose: (id: string) => void }) {
  return (
    <div>
      <p>The playbook is too large to draw: it has {graph.tasks.length} tasks.</p>
      <ol class="tasks">
        {graph.tasks.map((task) => {
          const { mark, word } = STATES[stateOf(task.id, rehearsed.value, graph)];
          return (
            <li key={task.id}>
              <button type="button" class="plain" onClick={() => onChoose(task.id)}>
                <span aria-hidden="true">{mark}</span> <span dir="auto">{nameOf(task)}</span>{' '}
                <span class="soft">{kindOf(task)}</span> {word}
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
