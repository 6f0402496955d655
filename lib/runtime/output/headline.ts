/** Reads the headline of a single record: its verdict or state, and what belongs to it. */
import type { ShownRecord, Table } from './readable.ts';

/** A first field of the headline that is not a verdict. */
const STATE = /(?:^|_)(?:status|state)$/;

/** The texts of a headline. */
export interface Headline {
  /** The first text is a verdict, otherwise a state. */
  readonly isVerdict: boolean;
  readonly first: string;
  /** The texts after it that are set. */
  readonly others: readonly string[];
}

/**
 * Returns the headline that a record declares; undefined if it declares none, or its first field is not set.
 * @param shown prepares the text of a cell
 */
export function headlineIn(
  { rows }: Pick<Table, 'rows'>,
  { fields, view }: ShownRecord,
  shown: (text: string) => string = (text) => text,
): Headline | undefined {
  const [name = '', ...others] = view.headline ?? [];
  const textOf = (wanted: string) => {
    const at = fields.map(([field]) => field).indexOf(wanted);
    const text = at < 0 ? '' : shown(rows[at]?.[1] ?? '');
    return text.indexOf('\n') >= 0 ? '' : text;
  };
  const first = textOf(name);
  if (first === '') return undefined;
  return { isVerdict: !STATE.test(name), first, others: others.map(textOf).filter((text) => text !== '') };
}
