/** One playbook: its inputs, its graph and the details of a task, which light up while it is rehearsed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { plural } from '../../lib/core/text/numbers.ts';
import type { ListedPlaybook } from '../../lib/playbook/about.ts';
import type { GraphTask } from '../../lib/playbook/graph.ts';
import { tenantOf } from '../../lib/runtime/engine/deletion.ts';
import { Act } from '../entries/act.tsx';
import { Json } from '../entries/json.tsx';
import { useKept } from '../entries/state.ts';
import { FormField } from '../line/form-field.tsx';
import { Ask } from '../line/question.tsx';
import { attempt } from '../room/notices.ts';
import { roomOpened } from '../room/rooms.ts';
import { stopRun } from '../room/store.ts';
import { commands, me } from '../state.ts';
import type { Problem } from '../types.ts';
import { Graph } from './graph.tsx';
import { ProblemBox } from './parts.tsx';
import { type DrawnPlaybook, findRehearsal, rehearse, rehearsed } from './rehearsal.ts';

export interface PlaybookProps {
  /** Name, or YAML. */
  readonly playbook: string;
  readonly graph: DrawnPlaybook;
}

export function Playbook({ playbook, graph }: PlaybookProps) {
  const chosen = useSignal<string | undefined>(undefined);
  useEffect(() => void findRehearsal(playbook, graph.title), []);
  // The values that inputs offer come from a room.
  useEffect(() => void roomOpened().catch(() => undefined), []);
  const task = graph.tasks.find(({ id }) => id === chosen.value);
  const { outputs } = (rehearsed.value.run?.result ?? {}) as { outputs?: unknown };
  return (
    <>
      <h1 dir="auto">{graph.title}</h1>
      <About {...graph} taskCount={graph.tasks.length} />
      <RehearsalForm playbook={playbook} graph={graph} />
      <Progress />
      <div class="split">
        <Graph graph={graph} chosen={chosen} />
        <section aria-label="Task">
          {task === undefined ? (
            <p>Rehearse the playbook, then choose a task to see what went in and what came out.</p>
          ) : (
            <TaskDetails task={task} />
          )}
          {outputs === undefined ? undefined : <Json name="Outputs" value={outputs} isOpen={task === undefined} />}
        </section>
      </div>
    </>
  );
}

/** Tells what a playbook does, and what it changes. */
export function About({ description, effects, taskCount }: Omit<ListedPlaybook, 'name' | 'title' | 'inputs'>) {
  const changes = effects.filter((effect) => effect !== 'run').join(', ');
  return (
    <p>
      <span dir="auto">{description}</span>{' '}
      <span class="soft">
        {plural(taskCount, 'task')}, {effects.includes('run') ? 'starts scans, ' : ''}
        {changes === '' ? 'changes nothing' : `changes the tenant: ${changes}`}.
      </span>
    </p>
  );
}

/** The inputs, and the buttons that the caller may press. */
function RehearsalForm({ playbook, graph }: PlaybookProps) {
  const isAsking = useSignal(false);
  const [given, setGiven] = useKept<Readonly<Record<string, string>>>(`inputs ${playbook}`, {});
  const names = [...new Set(graph.tasks.flatMap(({ command }) => command ?? []))];
  const refused = names.filter((name) => !commands.value.has(name));
  const deletions = names.filter((name) => commands.value.get(name)?.effect === 'delete');
  const { phase, run } = rehearsed.value;
  const isRunning = phase === 'running';
  const { simulated = false, tenant } = me.value ?? {};
  const begin = (isDry: boolean) => {
    const filled = Object.entries(given).filter(([, text]) => text !== '');
    void rehearse(playbook, Object.fromEntries(filled), isDry);
    // On a phone, the inputs fill the screen.
    document.querySelector('.graph')?.scrollIntoView({ block: 'nearest' });
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const isDry = event.submitter?.getAttribute('value') === 'dry';
    // As the terminal, the room asks before a deletion.
    isAsking.value = !isDry && deletions.length > 0;
    if (!isAsking.value) begin(isDry);
  };
  const answer = (yes: string | undefined) => {
    isAsking.value = false;
    if (yes !== undefined) begin(false);
  };
  const fields = (isRequired: boolean) => (
    <div class="form-fields">
      {graph.inputs
        .filter(({ required }) => required === isRequired)
        .map((input) => (
          <FormField
            {...{ key: input.name, ...fieldOf(input), value: given[input.name] ?? '' }}
            onChange={(value) => setGiven({ ...given, [input.name]: value })}
          />
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
          <Act disabled={!isRunning || run === undefined} on={() => attempt(() => stopRun(run?.id ?? ''))}>
            Stop
          </Act>
          <span class="soft">Rehearse runs the tasks here and now; a dry run changes nothing.</span>
        </div>
      )}
      {isAsking.value ? (
        <Ask
          words={`Delete with ${deletions.join(', ')} on ${tenantOf(simulated, tenant ?? undefined)}?`}
          answers={['Rehearse and delete']}
          on={answer}
        />
      ) : undefined}
    </form>
  );
}

/** The field of an input: that of the argument which gets its value, in the words of the playbook. */
function fieldOf({ name, required, argument = { command: '', name }, ...input }: DrawnPlaybook['inputs'][number]) {
  const { inputSchema, content } = commands.value.get(argument.command) ?? { content: [''] };
  const schema = { ...inputSchema?.properties?.[argument.name], writeOnly: false };
  const command = {
    name: argument.command,
    content: content.includes(argument.name) ? [name] : [],
    inputSchema: { properties: { [name]: { ...schema, ...input } }, required: required ? [name] : [] },
  };
  return { name, argument: argument.name, command };
}

/** Tells how far the rehearsal is, and why it failed. */
function Progress() {
  const { phase, done, run, problem } = rehearsed.value;
  const { failure } = (run?.result ?? {}) as { failure?: Problem };
  const why = problem ?? run?.problem ?? failure;
  const end = phase === 'ended' ? `The rehearsal has ended: ${run?.state ?? 'failed'}. ` : '';
  return (
    <>
      <p role="status">{phase === 'idle' ? '' : `${end}${plural(done.size, 'task')} ran.`}</p>
      {why === undefined ? undefined : <ProblemBox problem={why} />}
    </>
  );
}

/** What went into a task, what it compared, and what came out. */
function TaskDetails({ task: { id, name, kind, command } }: { readonly task: GraphTask }) {
  const { error, trace } = rehearsed.value.done.get(id) ?? {};
  const { inputs = [], wrote = {}, compared = [] } = trace ?? {};
  const isIdle = inputs.length + compared.length + Object.keys(wrote).length === 0;
  return (
    <>
      <h2 dir="auto">{name || kind}</h2>
      <code>{command}</code>
      <p class="problem">{error?.message}</p>
      {isIdle ? <p>Nothing went in and nothing came out{trace === undefined ? ': it has not run' : ''}.</p> : undefined}
      {inputs.map((input, at) => (
        <Json key={at} name="Went in" value={input} isOpen />
      ))}
      {compared.map(({ branch, holds, ...values }, at) => (
        <Json key={at} name={`${holds ? '✓ True' : '✗ False'} for the branch ${branch}`} value={values} isOpen />
      ))}
      {Object.entries(wrote).map(([path, value]) => (
        <Json key={path} name={`Came out, ${path}`} value={value} isOpen />
      ))}
    </>
  );
}
