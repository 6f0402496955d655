/** A playbook as a graph: lines as SVG, tasks as buttons. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  type DrawnPlaybook,
  type GraphLink,
  type GraphTask,
  isTaken,
  nameOf,
  neighbour,
  runningTask,
  STATES,
  stateOf,
  type TaskState,
} from './graph-model.ts';
import { rehearsed } from './rehearsal.ts';

export interface GraphProps {
  readonly graph: DrawnPlaybook;
  /** The task whose details are shown. */
  readonly chosen: Signal<string | undefined>;
}

/** Shows the graph of a playbook; arrow keys lead from task to task. */
export function Graph({ graph, chosen }: GraphProps) {
  const area = useRef<HTMLElement>(null);
  const { width, height, tasks, links, isDrawn } = graph;
  const running = runningTask(graph, rehearsed.value);
  useEffect(() => {
    const task = tasks.find(({ id }) => id === running);
    const { clientWidth = 0, clientHeight = 0 } = area.current ?? {};
    if (task !== undefined) area.current?.scrollTo(task.x + (task.width - clientWidth) / 2, task.y - clientHeight / 2);
  }, [running]);
  const stop = tasks.find(({ id }) => id === chosen.value) ?? tasks[0];
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(graph, (event.target as HTMLElement).dataset['task'] ?? '', event.key);
    if (next === undefined) return;
    event.preventDefault();
    chosen.value = next;
    area.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(next)}"]`)?.focus();
  };
  return (
    <section class="graph" ref={area} onKeyDown={onKeyDown} aria-label="Tasks; arrow keys move">
      {isDrawn ? undefined : <p>The playbook is too large to draw: it has {tasks.length} tasks.</p>}
      <div class={isDrawn ? 'canvas' : ''} style={isDrawn ? { width: `${width}px`, height: `${height}px` } : {}}>
        <svg width={width} height={height} aria-hidden="true">
          {links.map((link) => (
            <Line key={`${link.from} ${link.to} ${link.label}`} link={link} />
          ))}
        </svg>
        {tasks.map((task) => (
          <TaskButton
            key={task.id}
            task={task}
            state={stateOf(task.id, rehearsed.value, graph)}
            chosen={chosen}
            isStop={task === stop || !isDrawn}
          />
        ))}
      </div>
    </section>
  );
}

interface TaskButtonProps {
  readonly task: GraphTask;
  readonly state: TaskState;
  readonly chosen: Signal<string | undefined>;
  /** Whether the tab key stops here. */
  readonly isStop: boolean;
}

function TaskButton({ task, state, chosen, isStop }: TaskButtonProps) {
  const { id, kind, command, x, y, width, height } = task;
  return (
    <button
      type="button"
      class={`task ${kind} ${state.replace(' ', '-')}`}
      data-task={id}
      tabIndex={isStop ? 0 : -1}
      aria-pressed={chosen.value === id}
      style={width === 0 ? {} : { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
      onClick={() => {
        chosen.value = id;
      }}
    >
      <span dir="auto">{nameOf(task)}</span>
      <small>{command ?? kind}</small> <small class="state">{STATES[state]}</small>
    </button>
  );
}

function Line({ link }: { readonly link: GraphLink }) {
  const { points, label, labelAt, isError } = link;
  const [x = 0, y = 0] = points.at(-1) ?? [];
  return (
    <g class={`link ${isError ? 'error' : ''} ${isTaken(link, rehearsed.value) ? 'taken' : ''}`}>
      <path d={curve(points)} />
      <path class="head" d={`M ${x - 6} ${y - 8} L ${x} ${y} L ${x + 6} ${y - 8} Z`} />
      <text x={labelAt[0]} y={labelAt[1] + 4}>
        {label}
      </text>
    </g>
  );
}

/** Returns the path through the points: straight to the middle of each pair, and round at the points. */
function curve([first, ...rest]: GraphLink['points']): string {
  const steps = rest.map(([x, y], at) => {
    const next = rest[at + 1];
    return next === undefined ? `L ${x} ${y}` : `Q ${x} ${y} ${(x + next[0]) / 2} ${(y + next[1]) / 2}`;
  });
  return `M ${first?.join(' ')} ${steps.join(' ')}`;
}
