/** A playbook as a graph: lines as SVG, tasks as buttons. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { GraphLink } from '../../lib/playbook/graph.ts';
import { Act } from '../entries/act.tsx';
import { State } from '../entries/cell.tsx';
import { type DrawnPlaybook, isTaken, rehearsed, stateOf } from './rehearsal.ts';

/** Shows the graph of a playbook. @param chosen the task whose details are shown */
export function Graph({ graph, chosen }: { graph: DrawnPlaybook; chosen: Signal<string | undefined> }) {
  const { width, height, tasks, links, isDrawn } = graph;
  const box = useRef<HTMLElement>(null);
  const last = [...rehearsed.value.done.keys()].at(-1);
  useEffect(() => {
    // The start of a wide graph is not at its edge. A task that is being read does not move.
    const { x = 0, y = 0 } = tasks.find(({ id }) => id === last) ?? tasks[0] ?? {};
    const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
    if (chosen.value === undefined) box.current?.scrollTo(x + 100 - clientWidth / 2, y - clientHeight / 2);
  }, [last]);
  return (
    <section ref={box} class="graph" aria-label="Tasks">
      {isDrawn ? undefined : (
        <p>{tasks.length} tasks in their order: a graph would have too many tasks or links to read.</p>
      )}
      <div class={isDrawn ? 'canvas' : ''} style={isDrawn ? { width: `${width}px`, height: `${height}px` } : {}}>
        <svg width={width} height={height} aria-hidden="true">
          {links.map((link) => (
            <Line key={`${link.from} ${link.to} ${link.branch}`} link={link} />
          ))}
        </svg>
        {tasks.map(({ id, name, kind, command = kind, x, y, ...size }) => {
          const place = { left: `${x}px`, top: `${y}px`, width: `${size.width}px`, height: `${size.height}px` };
          const state = stateOf(id, rehearsed.value, graph);
          return (
            <Act
              key={id}
              class={`task ${kind} ${state}`}
              title="Show what went in and what came out"
              aria-pressed={chosen.value === id}
              style={isDrawn ? place : {}}
              on={() => (chosen.value = id)}
            >
              <span dir="auto">{name || kind}</span>
              <small>{command}</small> <State text={state} />
            </Act>
          );
        })}
      </div>
    </section>
  );
}

function Line({ link }: { readonly link: GraphLink }) {
  const { points, label, labelAt, isError } = link;
  const [x = 0, y = 0] = points.at(-1) ?? [];
  return (
    <g class={`link ${isError ? 'bad' : 'soft'} ${isTaken(link, rehearsed.value) ? 'taken' : ''}`}>
      <polyline points={points.join(' ')} />
      <path d={`M ${x - 6} ${y - 8} L ${x} ${y} L ${x + 6} ${y - 8} Z`} />
      <text x={labelAt[0]} y={labelAt[1] + 4}>
        {label}
      </text>
    </g>
  );
}
