/** Shows the rows of a table: all of one height, and only those in view are in the document. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { ResultTable, TableColumn } from '../types.ts';
import { Act } from './act.tsx';
import { Cell } from './cell.tsx';
import { isUuid, lineText, textOf } from './cells.ts';
import { nextOrder, rowSpan, type TableState } from './order.ts';

/** Height of a row as in the style, and how many rows are in view. */
const [ROW, MOST_ROWS] = [28, 12];
/** Widths of columns in characters, and how many rows decide about them. */
const [NARROWEST, WIDEST, SAMPLE] = [5, 32, 60];

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: MOST_ROWS - 2,
  PageUp: 2 - MOST_ROWS,
  Home: -1e9,
  End: 1e9,
};

interface RowsProps {
  readonly id: string;
  readonly table: ResultTable;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly unknown[];
  readonly state: TableState;
  readonly change: (more: Partial<TableState>) => void;
}

export function Rows({ id, table, columns, rows, state, change }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const { from, to, before, after } = rowSpan(rows.length, ROW, top, MOST_ROWS * ROW, 4 * ROW);
  const { filter, order, row, isRowOpen } = state;
  useEffect(() => scroller.current?.scrollTo({ top: 0 }), [filter, order]);
  const choose = (at: number, more: Partial<TableState> = {}) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    change({ row: next, ...more });
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {};
    // The head covers the first row of the visible part.
    const end = (next + 2) * ROW - clientHeight;
    scroller.current?.scrollTo({ top: Math.min(next * ROW, Math.max(scrollTop, end)) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const step = STEPS[event.key];
    if (step !== undefined) choose(row + step);
    else if (event.key === 'Enter') change({ isRowOpen: !isRowOpen });
    else return;
    event.preventDefault();
  };
  const toggle = (at: number) => {
    // Whoever selects a text does not want the record.
    if (getSelection()?.isCollapsed !== false) choose(at, { isRowOpen: !isRowOpen || row !== at });
  };
  const widths = useMemo(() => columns.map((column) => 0.9 * widthOf(column, table.rows)), [columns, table]);
  const width = widths.reduce((sum, each) => sum + each, 0);
  return (
    <div class="rows" ref={scroller} onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}>
      <div style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the arrow keys choose a row
          role="grid"
          tabIndex={0}
          aria-label={table.title}
          aria-rowcount={rows.length + 1}
          aria-activedescendant={row >= from && row < to ? `${id}-${row}` : undefined}
          style={{ width: `max(100%, ${width}ch)` }}
          onKeyDown={onKeyDown}
        >
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column, at) => (
                <Head key={column.name} {...{ column, order, change }} width={`${widths[at]}ch`} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(from, to).map((each, index) => {
              const at = from + index;
              return (
                <tr
                  key={at}
                  id={`${id}-${at}`}
                  aria-rowindex={at + 2}
                  aria-selected={at === row}
                  onClick={() => toggle(at)}
                >
                  {columns.map((column) => (
                    <td key={column.name} dir="auto" class={classOf(column)}>
                      <Cell value={memberAt(each, column.name)} column={column} />
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {rows.length === 0 ? <p class="soft">No row matches the filter.</p> : undefined}
    </div>
  );
}

type HeadProps = Pick<RowsProps, 'change'> & { column: TableColumn; order: TableState['order']; width: string };

function Head({ column, order, width, change }: HeadProps) {
  const { name, title } = column;
  const sort = order?.name !== name ? 'none' : order.down ? 'descending' : 'ascending';
  return (
    <th scope="col" class={classOf(column)} style={{ width }} aria-sort={sort}>
      <Act class="plain" on={() => change({ order: nextOrder(order, name), row: 0 })}>
        <bdi>{lineText(title)}</bdi> {{ none: '', ascending: '↑', descending: '↓' }[sort]}
      </Act>
    </th>
  );
}

function classOf({ kind }: TableColumn): string | undefined {
  return kind === 'number' || kind === 'rate' ? 'end' : undefined;
}

/** Returns the width of a column from its first rows, so that scrolling never changes it. */
function widthOf({ name, title, kind }: TableColumn, rows: readonly unknown[]): number {
  const lengths = rows.slice(0, SAMPLE).map((row) => {
    const text = textOf(memberAt(row, name));
    return kind === 'time' || isUuid(text) ? 9 : lineText(text).length + (kind === 'state' ? 2 : 0);
  });
  return Math.max(NARROWEST, Math.min(WIDEST, Math.max(title.length + 3, ...lengths) + 2));
}
