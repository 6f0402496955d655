/** Shows a list as a table that filters, sorts and folds. */
import { useMemo } from 'preact/hooks';
import type { ResultTable } from '../types.ts';
import { Act, Acts } from './act.tsx';
import { save } from './actions.ts';
import { FORMATS, type Format, fileName, written } from './exports.ts';
import { Json } from './json.tsx';
import { rowsOf, type TableState } from './order.ts';
import { Rows } from './rows.tsx';
import { useKept } from './state.ts';

const START: TableState = { filter: '', order: undefined, isWide: false, isFolded: false, row: 0, isRowOpen: false };

/** @param number of the entry */
export function TableView({ table, number, id }: { table: ResultTable; number: number; id: string }) {
  const [state, setState] = useKept(id, START);
  const change = (more: Partial<TableState>) => setState({ ...state, ...more });
  const { filter, order, isFolded, isRowOpen, isWide, row } = state;
  const rows = useMemo(() => rowsOf(table, filter, order), [table, filter, order]);
  const columns = isWide ? table.columns : table.columns.slice(0, table.first.length);
  const all = table.rows.length;
  const opened = rows[row];
  const saveAs = (format: Format) => save(written(format, table.title, columns, rows), fileName(table, number));
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
        {isEmpty ? undefined : <Acts verb="Save as" of={FORMATS.map((format) => [format, () => saveAs(format)])} />}
      </div>
      {isEmpty ? undefined : <Rows {...{ id, table, columns, rows, change }} state={state} />}
      {isRowOpen && !isEmpty && opened !== undefined ? (
        <div class="record-json">
          <strong>Record {row + 1}</strong>
          <Act class="plain" on={() => change({ isRowOpen: false })}>
            Close
          </Act>
          <Json key={row} at={`${id}/record`} value={opened} isOpen />
        </div>
      ) : undefined}
    </section>
  );
}
