/** Draws a playbook: places its tasks, and the links between them. */
import * as dagre from '@dagrejs/dagre';
import { DEFAULT, ERROR, NEXT, type Playbook, type Task } from './playbook.ts';

interface Drawn {
  readonly x: number;
  readonly y: number;
}

interface DrawnGraph {
  setGraph(options: Readonly<Record<string, unknown>>): void;
  setNode(id: string, size: Pick<Place, 'width' | 'height'>): void;
  setEdge(from: string, to: string, label: Readonly<Record<string, unknown>>, branch: string): void;
  graph(): { readonly width: number; readonly height: number };
  node(id: string): Drawn;
  edge(from: string, to: string, branch: string): Partial<Drawn> & { readonly points: readonly Drawn[] };
}

/** The parts of the library that are used: its own types cannot be resolved from an ECMAScript module. */
interface Library {
  readonly Graph: new (options: { readonly multigraph: boolean }) => DrawnGraph;
  layout(graph: DrawnGraph): void;
}

const { Graph, layout } = dagre as unknown as Library;

/** A graph with more tasks or links is hard to read, and slow to lay out. */
const MAX_TASKS = 60;
const MAX_LINKS = 120;
/** Sum of the levels that links skip: the layout takes longer with each. */
const MAX_SKIPPED = 200;

const TASK_SIZE = { width: 200, height: 56 };
const LABEL_HEIGHT = 18;
/** Width of a character of a label, and the space around the label, in pixels. */
const [CHARACTER_WIDTH, LABEL_SPACE] = [7, 16];
const MAX_LABEL_LENGTH = 30;
const MARGIN = 16;

interface Place {
  /** Left edge, in pixels. */
  readonly x: number;
  /** Top edge, in pixels. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface GraphTask extends Place {
  readonly id: string;
  readonly name: string;
  readonly kind: Task['kind'];
  readonly command?: string;
}

export interface GraphLink {
  readonly from: string;
  readonly to: string;
  /** The branch of the task before, such as `#default#`. */
  readonly branch: string;
  /** The branch for people; empty for a task without conditions. */
  readonly label: string;
  /** Whether it is taken after a failure. */
  readonly isError: boolean;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Middle of the label. */
  readonly labelAt: readonly [x: number, y: number];
}

export interface PlaybookGraph {
  /** Whether the tasks have places; false if there are too many tasks or links to draw. */
  readonly isDrawn: boolean;
  readonly width: number;
  readonly height: number;
  readonly tasks: readonly GraphTask[];
  readonly links: readonly GraphLink[];
}

const NOWHERE: Place = { x: 0, y: 0, width: 0, height: 0 };

/** Lays a playbook out from top to bottom. Tasks of a playbook that is too large have no places, and no links. */
export function graphOf({ tasks }: Pick<Playbook, 'tasks'>): PlaybookGraph {
  const links = [...tasks.values()].flatMap(linksOf);
  if (tasks.size > MAX_TASKS || links.length > MAX_LINKS || skippedLevels(tasks.size, links) > MAX_SKIPPED) {
    const listed = [...tasks.values()].map((task) => ({ ...titled(task), ...NOWHERE }));
    return { isDrawn: false, width: 0, height: 0, tasks: listed, links: [] };
  }
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, edgesep: 16, ranksep: 40, marginx: MARGIN, marginy: MARGIN });
  // The library keys plain objects by these names, and ids such as __proto__ come from outside.
  for (const id of tasks.keys()) graph.setNode(`#${id}`, { ...TASK_SIZE });
  for (const { from, to, label, branch } of links) {
    const width = label === '' ? 0 : label.length * CHARACTER_WIDTH + LABEL_SPACE;
    graph.setEdge(`#${from}`, `#${to}`, { width, height: label === '' ? 0 : LABEL_HEIGHT, labelpos: 'c' }, branch);
  }
  layout(graph);
  const { width, height } = graph.graph();
  return {
    isDrawn: true,
    width: Math.ceil(width),
    height: Math.ceil(height),
    tasks: [...tasks.values()].map((task) => ({ ...titled(task), ...placeIn(graph, task.id) })),
    links: links.map((link) => ({ ...link, ...lineIn(graph, link) })),
  };
}

/** Counts the levels between the ends of all links. A checked playbook has no cycles, so no path is longer than its tasks. */
function skippedLevels(count: number, links: readonly Pick<GraphLink, 'from' | 'to'>[]): number {
  const levels = new Map<string, number>();
  for (let pass = 0; pass < count; pass += 1) {
    for (const { from, to } of links) levels.set(to, Math.max(levels.get(to) ?? 0, (levels.get(from) ?? 0) + 1));
  }
  return links.reduce((sum, { from, to }) => sum + (levels.get(to) ?? 0) - (levels.get(from) ?? 0) - 1, 0);
}

function titled(task: Task): Pick<GraphTask, 'id' | 'name' | 'kind' | 'command'> {
  const { id, name, kind } = task;
  return { id, name, kind, ...(task.kind === 'command' ? { command: task.command } : {}) };
}

const LABELS: Readonly<Record<string, string>> = { [NEXT]: '', [DEFAULT]: 'else', [ERROR]: 'error' };

function linksOf({ id: from, next }: Task) {
  return [...next].flatMap(([branch, targets]) => {
    const label = Object.hasOwn(LABELS, branch) ? (LABELS[branch] ?? '') : branch.slice(0, MAX_LABEL_LENGTH);
    return [...new Set(targets)].map((to) => ({ from, to, label, isError: branch === ERROR, branch }));
  });
}

/** Converts the middle of a task to its corner. */
function placeIn(graph: DrawnGraph, id: string): Place {
  const { x, y } = graph.node(`#${id}`);
  return { x: Math.round(x - TASK_SIZE.width / 2), y: Math.round(y - TASK_SIZE.height / 2), ...TASK_SIZE };
}

function lineIn(graph: DrawnGraph, { from, to, branch }: Pick<GraphLink, 'from' | 'to' | 'branch'>) {
  // A line without a label has no place for it.
  const { x = 0, y = 0, points } = graph.edge(`#${from}`, `#${to}`, branch);
  return { points: points.map(rounded), labelAt: rounded({ x, y }) };
}

function rounded({ x, y }: Drawn): readonly [x: number, y: number] {
  return [Math.round(x), Math.round(y)];
}
