/** Shows values: in the rows of a table, and in a record with the verdict first, then its reasons. */
import { Fragment } from 'preact';
import { isObject } from '../../lib/core/json.ts';
import { ageOf } from '../../lib/runtime/select/printed.ts';
import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { ResultTable, TableColumn } from '../types.ts';
import { flagsIn, isMoment, isUuid, lineText, markedState, textOf, titleText } from './cells.ts';
import { LongText } from './json.tsx';
import { now } from './state.ts';

interface Field {
  readonly column: TableColumn;
  readonly value: unknown;
}

export function State({ text }: { text: string }) {
  const { sign, tone, word } = markedState(text);
  return (
    <span class={`state ${tone ?? ''}`}>
      {sign} {lineText(word)}
    </span>
  );
}

/** A value in a row: short, with the whole as a tooltip. */
export function Cell({ value, column: { kind } }: Field) {
  const text = textOf(value);
  if (text === '') return null;
  if (kind === 'state') return <State text={text} />;
  if (isMoment(text, kind)) return <time title={text}>{ageOf(text, now.value)}</time>;
  // The style cuts an id: whoever copies it gets the whole.
  if (isUuid(text)) {
    return (
      <code class="short-id" title={text}>
        {text}
      </code>
    );
  }
  return <span title={titleText(text)}>{lineText(text)}</span>;
}

export function RecordView({ table: { title, columns, rows } }: { table: ResultTable }) {
  const fields = columns
    .map((column) => ({ column, value: memberAt(rows[0], column.name) }))
    .filter(({ value }) => textOf(value) !== '')
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  return (
    <section class="record" aria-label={title}>
      <h3 dir="auto">{title}</h3>
      <dl>
        {fields.map((field) => (
          <Fragment key={field.column.name}>
            <dt class="soft">{field.column.title}</dt>
            <dd>
              <FieldValue {...field} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** Detections are objects; what they found is the reason of a verdict. */
function rankOf({ column, value }: Field): number {
  if (column.kind === 'state') return 0;
  return isObject(value) ? 1 : 2;
}

/** A value, whole, on as many lines as it needs. */
function FieldValue({ value, column: { kind } }: Field) {
  const text = textOf(value);
  const flags = flagsIn(value);
  if (kind === 'state') return <State text={text} />;
  if (flags === undefined) {
    return (
      <>
        <LongText text={text} />
        {isMoment(text, kind) && <span class="soft">({ageOf(text, now.value)})</span>}
      </>
    );
  }
  return (
    <>
      {flags.found.length > 0 && <strong class="bad">✗ found: {flags.found.join(', ')} </strong>}
      {flags.clear.length > 0 && <span class="soft">✓ clear: {flags.clear.join(', ')}</span>}
    </>
  );
}
