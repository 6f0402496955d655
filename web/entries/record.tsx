/** Shows a single record as its fields: the verdict first, then its reasons. */
import { isObject } from '../../lib/core/json.ts';
import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { ResultTable, TableColumn } from '../types.ts';
import { FieldValue } from './cell.tsx';
import { textOf } from './cells.ts';

export function RecordView({ table: { title, columns, rows } }: { table: ResultTable }) {
  const fields = columns
    .map((column) => ({ column, value: memberAt(rows[0], column.name) }))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  return (
    <section class="record" aria-label={title}>
      <h3 dir="auto">{title}</h3>
      <dl>
        {fields
          .filter(({ value }) => textOf(value) !== '')
          .map(({ column, value }) => (
            <div key={column.name}>
              <dt class="soft">{column.title}</dt>
              <dd>
                <FieldValue value={value} column={column} />
              </dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

/** Detections are objects; what they found is the reason of a verdict. */
function rankOf({ column, value }: { readonly column: TableColumn; readonly value: unknown }): number {
  if (column.kind === 'state') return 0;
  return isObject(value) ? 1 : 2;
}
