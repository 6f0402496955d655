/** Shows a list as a table that filters, sorts and folds. */
import type { ResultTable } from '../types.ts';
import { Act } from './act.tsx';
import { save } from './actions.ts';
import { FORMATS, type Format, fileName, written } from './exports.ts';
import { Json } from './json.tsx';
import { rowsOf } from './order.ts';
import { Rows } from './rows.tsx';
import { firstColumns, type TableState, tableState } from './state.ts';

/** @param number of the entry */
export function TableView({ table, number, id }: { table: ResultTable; number: number; id: string }) {
  const state = tableState(id);
  const change = (more: Partial<TableState>) => {
    state.value = { ...state.peek(), ...more };
  };
  const { filter, order, isFolded, isRowOpen, isWide, row } = state.value;
  const rows = rowsOf(table, filter, order);
  const columns = isWide ? table.columns : firstColumns(table);
  const all = table.rows.length;
  const opened = rows[row];
  const saveAs = (format: Format) => {
    const { text, type, ending } = written(format, table.title, columns, rows);
    save(text, type, fileName(table, number, ending));
  };
  const isEmpty = isFolded || all === 0;
  return (
    <section class="table-view" aria-label={table.title}>
      <div class="entry-tools">
        <Act class="plain" aria-expanded={!isFolded} on={() => change({ isFolded: !isFolded })}>
          {isFolded ? '▸' : '▾'} <bdi>{table.title}</bdi> {rows.length === all ? all : `${rows.length} of ${all}`}
        </Act>
        <input
          type="search"
          hidden={isEmpty}
          aria-label={`Filter ${table.title}`}
          placeholder="Filter rows"
          value={filter}
          onInput={({ currentTarget }) => change({ filter: currentTarget.value, row: 0, isRowOpen: false })}
        />
        {isEmpty || table.columns.length === table.first.length ? undefined : (
          <Act aria-pressed={isWide} on={() => change({ isWide: !isWide })}>
            All {table.columns.length} columns
          </Act>
        )}
        <span hidden={isEmpty}>
          Save:
          {FORMATS.map((format) => (
            <Act key={format} class="plain" aria-label={`Save as ${format}`} on={() => saveAs(format)}>
              {format}
            </Act>
          ))}
        </span>
      </div>
      {isEmpty ? undefined : <Rows {...{ id, table, columns, rows, change }} state={state.value} />}
      {isRowOpen && !isEmpty && opened !== undefined ? (
        <div class="record-json">
          <strong>Record {row + 1}</strong>
          <Act class="plain" on={() => change({ isRowOpen: false })}>
            Close
          </Act>
          <Json key={row} value={opened} isOpen />
        </div>
      ) : undefined}
    </section>
  );
}
