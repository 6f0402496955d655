/** Lays a context out as the rows of a tree; folded parts and long lists cost nothing. */

/** Items of a list or object that are shown at first, and that each further step shows. */
export const STEP = 100;
const MAX_PREVIEW = 80;
/** Names that a reference can have. */
const MEMBER = /^[A-Za-z_][\w-]*$/;

/** What is unfolded. */
export interface Unfolded {
  /** Ids of open rows. */
  readonly open: ReadonlySet<string>;
  /** Numbers of shown items, by id of their row, if they are more than one step. */
  readonly shown: ReadonlyMap<string, number>;
}

/** A row of the tree. */
export interface Row {
  /** Unique: the steps to the value as JSON. */
  readonly id: string;
  readonly parent: string | undefined;
  readonly depth: number;
  readonly name: string;
  /** Such as `AiSec.Topic.[0]`; undefined if no reference can name the value. */
  readonly path: string | undefined;
  /** The value, or its size. */
  readonly preview: string;
  readonly isFoldable: boolean;
  readonly isOpen: boolean;
  /** Items that are not shown: the row shows more of them. */
  readonly left: number;
}

/** Returns the visible rows. */
export function rowsOf(context: unknown, unfolded: Unfolded): readonly Row[] {
  const rows: Row[] = [];
  addItems(rows, context, { steps: [], path: '', depth: 0 }, unfolded);
  return rows;
}

interface At {
  readonly steps: readonly (string | number)[];
  readonly path: string | undefined;
  readonly depth: number;
}

function addItems(rows: Row[], value: unknown, at: At, unfolded: Unfolded): void {
  const parent = at.depth === 0 ? undefined : JSON.stringify(at.steps);
  const names = Array.isArray(value) ? undefined : Object.keys(value as object);
  const count = names?.length ?? (value as unknown[]).length;
  const most = unfolded.shown.get(parent ?? '') ?? STEP;
  for (let index = 0; index < Math.min(count, most); index += 1) {
    const step = names?.[index] ?? index;
    const steps = [...at.steps, step];
    const inner = (value as Record<string | number, unknown>)[step];
    const isFoldable = sizeOf(inner) > 0;
    const id = JSON.stringify(steps);
    const isOpen = isFoldable && unfolded.open.has(id);
    const path = pathTo(at.path, step);
    const name = typeof step === 'number' ? `[${step}]` : step;
    rows.push({ id, parent, depth: at.depth, name, path, preview: previewOf(inner), isFoldable, isOpen, left: 0 });
    if (isOpen) addItems(rows, inner, { steps, path, depth: at.depth + 1 }, unfolded);
  }
  if (count <= most) return;
  const rest = { name: '', path: undefined, preview: '', isFoldable: false, isOpen: false, left: count - most };
  rows.push({ id: `more ${parent ?? ''}`, parent, depth: at.depth, ...rest });
}

function pathTo(path: string | undefined, step: string | number): string | undefined {
  if (path === undefined) return undefined;
  if (typeof step === 'number') return path === '' ? undefined : `${path}.[${step}]`;
  if (!MEMBER.test(step)) return undefined;
  return path === '' ? step : `${path}.${step}`;
}

/** Number of items inside a value. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function previewOf(value: unknown): string {
  const size = sizeOf(value);
  if (Array.isArray(value)) return size === 1 ? '1 item' : `${size} items`;
  if (size > 0) return nameOf(value as Record<string, unknown>);
  if (typeof value !== 'string') return JSON.stringify(value);
  const line = value.slice(0, MAX_PREVIEW + 1).replace(/\s+/g, ' ');
  return line.length <= MAX_PREVIEW ? line : `${line.slice(0, MAX_PREVIEW).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** An object's first name, so that the items of a list differ. */
function nameOf(value: Record<string, unknown>): string {
  const key = Object.keys(value).find((each) => /(?:^|_)name$/.test(each) && typeof value[each] === 'string');
  return key === undefined ? '' : previewOf(value[key]);
}
