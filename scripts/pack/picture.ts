/** Draws a playbook as SVG: tasks at their positions on the canvas, with links. */

import { type JsonObject, objectOf } from '../../lib/core/json.ts';
import { ERROR, NEXT } from '../../lib/playbook/playbook.ts';

const [WIDTH, HEIGHT, MARGIN, TURN] = [300, 84, 40, 34] as const;
const MAX_LINE_LENGTH = 36;
const STYLE = [
  'text{font:14px sans-serif;fill:#1c2733;text-anchor:middle}',
  '.command{font:12px monospace;fill:#51606f}.label{font-size:12px;fill:#51606f}',
  'rect,polygon{stroke:#8494a4;stroke-width:1.5;fill:#fff}.start,.title{fill:#e4ecf5}.condition{fill:#fdf5dc}',
  'path{fill:none;stroke:#8494a4;stroke-width:1.5;marker-end:url(#to)}.error{stroke:#c0392b;stroke-dasharray:6 4}',
].join('');

interface Node {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** Such as `!aisec-runtime-scan` or `Set`; empty for other tasks. */
  readonly runs: string;
  readonly x: number;
  readonly y: number;
  readonly next: readonly (readonly [branch: string, target: string])[];
}

/** Draws a playbook. @returns an SVG document, identical for identical playbooks */
export function playbookPicture(document: JsonObject): string {
  const nodes = nodesOf(document);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const right = Math.max(...nodes.map(({ x }) => x)) + WIDTH + MARGIN;
  const bottom = Math.max(...nodes.map(({ y }) => y)) + HEIGHT + MARGIN;
  const links = nodes.flatMap((node) =>
    node.next.map(([branch, target]) => linkOf(node, byId.get(target) ?? node, branch, nodes)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${right}" height="${bottom}" viewBox="0 0 ${right} ${bottom}" role="img">`,
    `<title>${escaped(String(document['name']))}</title>`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><polygon points="0,0 8,4 0,8" style="fill:#8494a4;stroke:none"/></marker></defs>',
    `<rect width="${right}" height="${bottom}" style="stroke:none"/>`,
    ...links,
    ...nodes.map(shapeOf),
    '</svg>',
    '',
  ].join('\n');
}

/** Reads the tasks and moves them to the picture's origin. */
function nodesOf({ tasks }: JsonObject): Node[] {
  const nodes = Object.entries(objectOf(tasks)).map(([id, task]) => nodeOf(id, objectOf(task)));
  const [left, top] = [Math.min(...nodes.map(({ x }) => x)), Math.min(...nodes.map(({ y }) => y))];
  return nodes.map((node) => ({ ...node, x: node.x - left + MARGIN, y: node.y - top + MARGIN }));
}

function nodeOf(id: string, task: JsonObject): Node {
  const { name, script, scriptName } = objectOf(task['task']);
  const { position } = objectOf(JSON.parse(String(task['view'])));
  const { x, y } = objectOf(position);
  const branches = Object.entries(objectOf(task['nexttasks']));
  return {
    id,
    kind: String(task['type']),
    name: String(name ?? '') || 'Playbook Triggered',
    runs: script === undefined ? String(scriptName ?? '') : `!${String(script).replace(/^.*\|/, '')}`,
    x: Number(x),
    y: Number(y),
    next: branches.flatMap(([branch, targets]) => [targets].flat().map((target) => [branch, String(target)] as const)),
  };
}

function linkOf(from: Node, to: Node, branch: string, nodes: readonly Node[]): string {
  const [fromX, toX] = [from.x + WIDTH / 2, to.x + WIDTH / 2];
  const { turn, way } = wayBetween(from, to, nodes);
  const kind = branch === ERROR ? ' class="error"' : '';
  const path = `<path${kind} d="M${fromX} ${from.y + HEIGHT}${way}H${toX}V${to.y}"/>`;
  if (branch === NEXT) return path;
  // The label is on the side of the line's start, because two lines may end at one task.
  const [x, anchor] = fromX < toX ? [toX - 6, 'end'] : [toX + 6, 'start'];
  const label = escaped(branch.replace(/#/g, ''));
  return `${path}<text class="label" x="${x}" y="${turn - 6}" style="text-anchor:${anchor}">${label}</text>`;
}

/** Routes a link around other tasks: it turns below its source, above its target, or at both. */
function wayBetween(from: Node, to: Node, nodes: readonly Node[]): { turn: number; way: string } {
  const [below, above] = [from.y + HEIGHT + TURN, to.y - TURN];
  const isBlocked = (column: number) => nodes.some(({ x, y }) => x === column && y > from.y && y < to.y);
  if (!isBlocked(to.x)) return { turn: below, way: `V${below}` };
  if (!isBlocked(from.x)) return { turn: above, way: `V${above}` };
  return { turn: above, way: `V${below}H${to.x - MARGIN}V${above}` };
}

function shapeOf({ kind, name, runs, x, y }: Node): string {
  const lines = linesOf(name);
  const texts = [...lines.map((line) => ['', line]), ...(runs === '' ? [] : [['command', runs]])];
  const top = y + HEIGHT / 2 - (texts.length - 1) * 9 + 5;
  const labels = texts.map(([style = '', line = ''], index) => {
    const named = style === '' ? '' : ` class="${style}"`;
    return `<text${named} x="${x + WIDTH / 2}" y="${top + index * 18}">${escaped(line)}</text>`;
  });
  return [outlineOf(kind, x, y), ...labels].join('');
}

function outlineOf(kind: string, x: number, y: number): string {
  if (kind !== 'condition') {
    const radius = kind === 'start' ? HEIGHT / 2 : 8;
    return `<rect class="${kind}" x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="${radius}"/>`;
  }
  const [middle, right, edge] = [y + HEIGHT / 2, x + WIDTH, 28];
  const points = [
    [x, middle],
    [x + edge, y],
    [right - edge, y],
    [right, middle],
    [right - edge, y + HEIGHT],
    [x + edge, y + HEIGHT],
  ];
  return `<polygon class="condition" points="${points.map((point) => point.join(',')).join(' ')}"/>`;
}

function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < MAX_LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
