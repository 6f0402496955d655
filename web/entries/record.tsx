/** Shows a single record as its fields, the verdict first. */

import { FieldValue } from './cell.tsx';
import { textOf } from './cells.ts';
import { tableState } from './state.ts';
import { type ResultTable, valueAt } from './tables.ts';

export function RecordView({ table, id }: { table: ResultTable; id: string }) {
  const state = tableState(id);
  const { isWide } = state.value;
  const [row] = table.rows;
  const filled = table.first.filter(({ name }) => textOf(valueAt(row, name)) !== '');
  const columns = isWide ? table.all : filled;
  return (
    <section class="record" aria-label={table.title}>
      <h3 dir="auto">{table.title}</h3>
      <dl>
        {columns.map((column) => (
          <div key={column.name}>
            <dt class="soft">{column.title}</dt>
            <dd>
              <FieldValue value={valueAt(row, column.name)} column={column} />
            </dd>
          </div>
        ))}
      </dl>
      {table.all.length > filled.length ? (
        <button type="button" class="plain" onClick={() => (state.value = { ...state.value, isWide: !isWide })}>
          {isWide ? 'Show fewer fields' : `Show all ${table.all.length} fields`}
        </button>
      ) : undefined}
    </section>
  );
}
