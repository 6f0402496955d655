/** Shows the context of the room as a tree; a chosen value's path goes into the line. */
import { computed, effect, signal, useSignalEffect } from '@preact/signals';
import { problemFrom, sendJson } from '../api.ts';
import { lineText } from '../entries/cells.ts';
import { putIntoLine } from '../line/state.ts';
import { ProblemBox } from '../pictures/parts.tsx';
import type { Problem } from '../types.ts';
import { announce } from './notices.ts';
import { isLoaded, pathOf, room, writes } from './store.ts';
import { type Row, rowsOf, STEP } from './tree.ts';

const NOTHING: Readonly<Record<string, unknown>> = {};
const context = signal(NOTHING);
const open = signal<ReadonlySet<string>>(new Set(['["AiSec"]']));
const shown = signal<ReadonlyMap<string, number>>(new Map());
/** The row that Tab reaches. */
const active = signal('');
const failure = signal<Problem | undefined>(undefined);
const rows = computed(() => rowsOf(context.value, { open: open.value, shown: shown.value }));

/** Time without a write after which the context is loaded, in milliseconds. */
const QUIET_MS = 250;

/** Shows the context. */
export function ContextTree() {
  useSignalEffect(keepLoaded);
  const all = rows.value;
  const reached = all.some(({ id }) => id === active.value) ? active.value : all[0]?.id;
  return (
    <section id="context" class="context" aria-labelledby="context-title">
      <h2 id="context-title">Context</h2>
      {failure.value === undefined ? undefined : <ProblemBox problem={failure.value} />}
      {all.length === 0 ? (
        <p class="soft">Results of lines appear here. Lines refer to them, such as {'${AiSec.Topic.[0].topic_id}'}.</p>
      ) : (
        <div role="tree" aria-label="Values in the context">
          {all.map((row) => (
            <TreeRow key={row.id} row={row} isReached={row.id === reached} />
          ))}
        </div>
      )}
    </section>
  );
}

function TreeRow({ row, isReached }: { readonly row: Row; readonly isReached: boolean }) {
  const { id, depth, name, preview, path, isFoldable, isOpen, left } = row;
  return (
    <div
      role="treeitem"
      class="tree-row"
      data-id={id}
      style={{ paddingLeft: `${depth * 14}px` }}
      aria-level={depth + 1}
      aria-expanded={isFoldable ? isOpen : undefined}
      aria-selected={isReached}
      tabIndex={isReached ? 0 : -1}
      title={path === undefined ? undefined : `Put \${${path}} into the line`}
      onKeyDown={onKey}
      onClick={(event) => {
        const isFold = event.target instanceof Element && event.target.closest('.fold') !== null;
        active.value = id;
        if (isFold) fold(row, !isOpen);
        else choose(row);
      }}
    >
      <span class="fold" aria-hidden="true">
        {isFoldable ? (isOpen ? '▾' : '▸') : ''}
      </span>
      {left > 0 ? (
        <span class="more">{`Show more (${left} left)`}</span>
      ) : (
        <>
          <span class="name" dir="auto">
            {lineText(name)}
          </span>{' '}
          <span class="soft" dir="auto">
            {lineText(preview)}
          </span>
        </>
      )}
    </div>
  );
}

/** Loads the context after the latest write, while the tree is shown. */
function keepLoaded(): (() => void) | undefined {
  if (!isLoaded.value) return undefined;
  // Subscribes to writes.
  void writes.value;
  const ending = new AbortController();
  const timer = setTimeout(() => void load(ending.signal), context.peek() === NOTHING ? 0 : QUIET_MS);
  return () => {
    clearTimeout(timer);
    ending.abort();
  };
}

async function load(ending: AbortSignal): Promise<void> {
  try {
    const found = await sendJson<{ context: Record<string, unknown> }>(pathOf('context'), { signal: ending });
    context.value = found.context;
    failure.value = undefined;
  } catch (thrown) {
    const found = problemFrom(thrown);
    // That the room is gone is said once, above.
    if (!ending.aborted && found.status !== 404) failure.value = found;
  }
}

function fold({ id, isFoldable }: Row, isOpen: boolean): void {
  if (!isFoldable) return;
  const changed = new Set(open.peek());
  if (isOpen) changed.add(id);
  else changed.delete(id);
  open.value = changed;
}

/** Puts the path of a row into the line, or shows more rows. */
function choose(row: Row): void {
  const { path, left, parent = '' } = row;
  if (left > 0) {
    const at = rows.peek().indexOf(row);
    shown.value = new Map(shown.peek()).set(parent, (shown.peek().get(parent) ?? STEP) + STEP);
    // The first row that was hidden is in the place of the rest.
    focusRow(rows.peek()[at]);
  } else if (path === undefined) announce('No reference can name this value.');
  else putIntoLine(`\${${path}}`);
}

function onKey(event: KeyboardEvent): void {
  const visible = rows.peek();
  // A held key is faster than the focus, which follows the active row.
  const found = visible.findIndex(({ id }) => id === active.peek());
  const at = Math.max(0, found);
  const row = visible[at];
  if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const parent = visible.find(({ id }) => id === row.parent);
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => focusRow(visible[at + 1]),
    ArrowUp: () => focusRow(visible[at - 1]),
    Home: () => focusRow(visible[0]),
    End: () => focusRow(visible.at(-1)),
    ArrowRight: () => (row.isOpen ? focusRow(visible[at + 1]) : fold(row, true)),
    ArrowLeft: () => (row.isOpen ? fold(row, false) : focusRow(parent)),
    Enter: () => choose(row),
    ' ': () => (row.isFoldable ? fold(row, !row.isOpen) : choose(row)),
  };
  const move = moves[event.key];
  if (move === undefined) return;
  event.preventDefault();
  move();
}

/** Moves the focus to a row, once it is drawn. */
function focusRow(row: Row | undefined): void {
  if (row === undefined) return;
  active.value = row.id;
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`[data-id=${JSON.stringify(row.id)}]`)?.focus();
  });
}

effect(() => {
  // Another room, or none, has another context.
  void room.value;
  context.value = NOTHING;
  shown.value = new Map();
  failure.value = undefined;
});
