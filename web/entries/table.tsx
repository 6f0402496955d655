/** Shows a list as a table: rows of one height, of which only those in view are in the document. */
import { useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { save } from './actions.ts';
import { Cell } from './cell.tsx';
import { isNumeric, isUuid, lineText, textOf } from './cells.ts';
import { FORMATS, fileName, written } from './exports.ts';
import { Json } from './json.tsx';
import { filtered, nextOrder, sorted } from './rows.ts';
import { type TableState, tableState } from './state.ts';
import { type Column, type ResultTable, valueAt } from './tables.ts';
import { rowSpan } from './window.ts';

/** Height of a row, as in the style. */
const ROW = 28;
const MOST_ROWS = 12;

interface Shown {
  readonly table: ResultTable;
  readonly number: number;
  readonly id: string;
}

export function TableView({ table, number, id }: Shown) {
  const state = tableState(id);
  const change = (more: Partial<TableState>) => {
    state.value = { ...state.peek(), ...more };
  };
  const found = useComputed(() => filtered(table.rows, state.value.filter));
  const rows = useComputed(() => {
    const { order } = state.value;
    return sorted(
      found.value,
      table.all.find(({ name }) => name === order?.name),
      order?.down === true,
    );
  });
  const { filter, isFolded, isRowOpen, isWide, row } = state.value;
  const columns = isWide ? table.all : table.first;
  const all = table.rows.length;
  const opened = rows.value[row];
  return (
    <section class="table-view" aria-label={table.title}>
      <div class="entry-tools">
        <button type="button" class="plain" aria-expanded={!isFolded} onClick={() => change({ isFolded: !isFolded })}>
          <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span> <bdi>{table.title}</bdi>{' '}
          <span class="soft">{rows.value.length === all ? all : `${rows.value.length} of ${all}`}</span>
        </button>
        {isFolded || all === 0 ? undefined : (
          <>
            <input
              type="search"
              aria-label={`Filter ${table.title}`}
              placeholder="Filter rows"
              value={filter}
              onInput={(event) => change({ filter: event.currentTarget.value, row: 0, isRowOpen: false })}
            />
            {table.all.length > table.first.length ? (
              <button type="button" aria-pressed={isWide} onClick={() => change({ isWide: !isWide })}>
                All {table.all.length} columns
              </button>
            ) : undefined}
            <span class="group">
              Save:
              {FORMATS.map((format) => (
                <button
                  key={format}
                  type="button"
                  class="plain"
                  aria-label={`Save as ${format}`}
                  onClick={() => {
                    const { text, type, ending } = written(format, table.title, columns, rows.value);
                    save(text, type, fileName(table, number, ending));
                  }}
                >
                  {format}
                </button>
              ))}
            </span>
          </>
        )}
      </div>
      {isFolded || all === 0 ? undefined : (
        <Rows {...{ id, table, columns, state: state.value, change }} rows={rows.value} />
      )}
      {isRowOpen && !isFolded && opened !== undefined ? (
        <div class="record-json">
          <p class="entry-tools">
            <strong>Record {row + 1}</strong>
            <button type="button" class="plain" onClick={() => change({ isRowOpen: false })}>
              Close
            </button>
          </p>
          <Json key={row} value={opened} isOpen />
        </div>
      ) : undefined}
    </section>
  );
}

interface RowsShown {
  readonly id: string;
  readonly table: ResultTable;
  readonly columns: readonly Column[];
  readonly rows: readonly unknown[];
  readonly state: TableState;
  readonly change: (more: Partial<TableState>) => void;
}

function Rows({ id, table, columns, rows, state, change }: RowsShown) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = MOST_ROWS * ROW;
  const { from, to, before, after } = rowSpan(rows.length, ROW, top, height, 4 * ROW);
  const { order, row, isRowOpen } = state;
  const widths = columns.map((column) => widthOf(column, table.rows));
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [state.filter, order]);
  const choose = (at: number, more: Partial<TableState> = {}) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    change({ row: next, ...more });
    const box = scroller.current;
    if (box === null) return;
    if (next * ROW < box.scrollTop) box.scrollTop = next * ROW;
    else if ((next + 2) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (next + 2) * ROW - box.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const step = STEPS[event.key];
    if (step !== undefined) choose(row + step);
    else if (event.key === 'Enter') change({ isRowOpen: !isRowOpen });
    else if (event.key === 'Escape' && isRowOpen) change({ isRowOpen: false });
    else return;
    event.preventDefault();
  };
  const chars = widths.reduce((sum, width) => sum + width, 0);
  return (
    <div class="rows" ref={scroller} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the arrow keys choose a row
          role="grid"
          tabIndex={0}
          aria-label={table.title}
          aria-rowcount={rows.length + 1}
          aria-activedescendant={row >= from && row < to ? `${id}-${row}` : undefined}
          style={{ width: `max(100%, ${0.9 * chars}ch)` }}
          onKeyDown={onKeyDown}
        >
          <colgroup>
            {columns.map(({ name }, at) => (
              <col key={name} style={{ width: `${0.9 * (widths[at] ?? 0)}ch` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <th
                  key={column.name}
                  scope="col"
                  class={isNumeric(column.kind) ? 'end' : undefined}
                  aria-sort={order?.name === column.name ? (order.down ? 'descending' : 'ascending') : 'none'}
                >
                  <button
                    type="button"
                    class="plain"
                    onClick={() => change({ order: nextOrder(order, column.name), row: 0 })}
                  >
                    <bdi>{lineText(column.title)}</bdi>
                    <span aria-hidden="true">{order?.name !== column.name ? '' : order.down ? ' ↓' : ' ↑'}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(from, to).map((each, index) => (
              <tr
                key={from + index}
                id={`${id}-${from + index}`}
                aria-rowindex={from + index + 2}
                aria-selected={from + index === row}
                onClick={() => {
                  const isText = getSelection()?.isCollapsed === false;
                  if (!isText) choose(from + index, { isRowOpen: !(isRowOpen && row === from + index) });
                }}
              >
                {columns.map((column) => (
                  <td key={column.name} dir="auto" class={isNumeric(column.kind) ? 'end' : undefined}>
                    <Cell value={valueAt(each, column.name)} column={column} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 ? <p class="soft">No row fits the filter.</p> : undefined}
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: MOST_ROWS - 2,
  PageUp: 2 - MOST_ROWS,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

const [NARROWEST, WIDEST, SAMPLE] = [5, 40, 60];

/** Returns the width of a column in characters, from its first rows, so that scrolling never changes it. */
function widthOf({ name, title, kind }: Column, rows: readonly unknown[]): number {
  const lengths = rows.slice(0, SAMPLE).map((row) => {
    const text = textOf(valueAt(row, name));
    return kind === 'time' || isUuid(text) ? 9 : lineText(text).length + (kind === 'state' ? 2 : 0);
  });
  return Math.max(NARROWEST, Math.min(WIDEST, Math.max(title.length + 3, ...lengths) + 2));
}
