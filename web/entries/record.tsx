/** Shows a single record as its fields, the verdict first. */

import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { ResultTable } from '../types.ts';
import { FieldValue } from './cell.tsx';
import { textOf } from './cells.ts';
import { firstColumns, tableState } from './state.ts';

export function RecordView({ table, id }: { table: ResultTable; id: string }) {
  const state = tableState(id);
  const { isWide } = state.value;
  const [row] = table.rows;
  const filled = firstColumns(table).filter(({ name }) => textOf(memberAt(row, name)) !== '');
  const columns = isWide ? table.columns : filled;
  return (
    <section class="record" aria-label={table.title}>
      <h3 dir="auto">{table.title}</h3>
      <dl>
        {columns.map((column) => (
          <div key={column.name}>
            <dt class="soft">{column.title}</dt>
            <dd>
              <FieldValue value={memberAt(row, column.name)} column={column} />
            </dd>
          </div>
        ))}
      </dl>
      {table.columns.length > filled.length ? (
        <button type="button" class="plain" onClick={() => (state.value = { ...state.value, isWide: !isWide })}>
          {isWide ? 'Show fewer fields' : `Show all ${table.columns.length} fields`}
        </button>
      ) : undefined}
    </section>
  );
}
