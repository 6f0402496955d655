/** A playbook as a graph: lines as SVG, tasks as buttons. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  type GraphLink,
  type GraphTask,
  isTaken,
  kindOf,
  nameOf,
  neighbour,
  type PlaybookGraph,
  type Rehearsed,
  runningTask,
  STATES,
  stateOf,
} from './graph-model.ts';

export interface GraphProps {
  readonly graph: PlaybookGraph;
  readonly rehearsed: Rehearsed;
  /** The task whose details are shown. */
  readonly chosen: Signal<string | undefined>;
}

/** Shows the graph of a playbook; arrow keys lead from task to task. */
export function Graph({ graph, rehearsed, chosen }: GraphProps) {
  const area = useRef<HTMLElement>(null);
  const { width, height, tasks, links } = graph;
  const running = rehearsed.phase === 'running' ? runningTask(graph, rehearsed.done) : undefined;
  useEffect(() => {
    const task = tasks.find(({ id }) => id === running);
    if (task === undefined || area.current === null) return;
    const { clientHeight, clientWidth } = area.current;
    area.current.scrollTo(task.x + task.width / 2 - clientWidth / 2, task.y - clientHeight / 2);
  }, [running]);
  const stop = tasks.some(({ id }) => id === chosen.value) ? chosen.value : tasks[0]?.id;
  const onKeyDown = (event: KeyboardEvent) => {
    const from = (event.target as HTMLElement).dataset['task'];
    const next = from === undefined ? undefined : neighbour(graph, from, event.key);
    if (next === undefined) return;
    event.preventDefault();
    chosen.value = next;
    const buttons = area.current?.querySelectorAll<HTMLElement>('[data-task]') ?? [];
    [...buttons].find(({ dataset }) => dataset['task'] === next)?.focus();
  };
  return (
    <section class="graph" ref={area} onKeyDown={onKeyDown} aria-label="Tasks; arrow keys move">
      <div class="canvas" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {links.map((link) => (
            <Line key={`${link.from} ${link.to} ${link.label}`} link={link} taken={isTaken(link, rehearsed.done)} />
          ))}
        </svg>
        {tasks.map((task) => (
          <TaskButton
            key={task.id}
            task={task}
            state={stateOf(task.id, rehearsed, graph)}
            chosen={chosen}
            isStop={task.id === stop}
          />
        ))}
      </div>
    </section>
  );
}

interface TaskButtonProps {
  readonly task: GraphTask;
  readonly state: keyof typeof STATES;
  readonly chosen: Signal<string | undefined>;
  /** Whether the tab key stops here. */
  readonly isStop: boolean;
}

function TaskButton({ task, state, chosen, isStop }: TaskButtonProps) {
  const { id, kind, x, y, width, height } = task;
  const { mark, word } = STATES[state];
  return (
    <button
      type="button"
      class={`task ${kind} ${state.replace(' ', '-')}`}
      data-task={id}
      tabIndex={isStop ? 0 : -1}
      aria-pressed={chosen.value === id}
      style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
      onClick={() => {
        chosen.value = id;
      }}
    >
      <span class="name" dir="auto">
        {nameOf(task)}
      </span>
      <span class="what">{kindOf(task)}</span>
      {word === '' ? undefined : (
        <span class="state">
          <span aria-hidden="true">{mark}</span> {word}
        </span>
      )}
    </button>
  );
}

const ARROW = 6;

function Line({ link, taken }: { readonly link: GraphLink; readonly taken: boolean }) {
  const { points, label, labelAt, isError } = link;
  const [x = 0, y = 0] = points.at(-1) ?? [];
  const classes = `link${isError ? ' error' : ''}${taken ? ' taken' : ''}`;
  return (
    <g class={classes}>
      <path d={curve(points)} />
      <path class="head" d={`M ${x - ARROW} ${y - ARROW * 1.4} L ${x} ${y} L ${x + ARROW} ${y - ARROW * 1.4} Z`} />
      {label === '' ? undefined : (
        <text x={labelAt[0]} y={labelAt[1] + 4} text-anchor="middle">
          {label}
        </text>
      )}
    </g>
  );
}

/** Returns the path through the points: straight to the middle of each pair, and round at the points. */
function curve(points: GraphLink['points']): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const steps = rest.map((to, at) => {
    const next = rest[at + 1];
    if (next === undefined) return `L ${to[0]} ${to[1]}`;
    return `Q ${to[0]} ${to[1]} ${(to[0] + next[0]) / 2} ${(to[1] + next[1]) / 2}`;
  });
  return [`M ${first[0]} ${first[1]}`, ...steps].join(' ');
}
