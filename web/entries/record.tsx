/** Shows a single record as its fields, the verdict first. */
import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { ResultTable } from '../types.ts';
import { FieldValue } from './cell.tsx';
import { textOf } from './cells.ts';

export function RecordView({ table: { title, columns, rows } }: { table: ResultTable }) {
  const fields = columns.map((column) => ({ column, value: memberAt(rows[0], column.name) }));
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
