type Outcome = void | Promise<void>;

/** The ids that a test claims: a single id or a list. */
type Claim = string | readonly string[];

/** A `test` whose title begins with the ids it claims, as in `[topic-get-one-identifier] refuses both`. */
export interface ClaimedTest {
  (claim: Claim, title: string, run: () => Outcome, timeoutMs?: number): void;
  /** Like `test.each` over a table of objects: `$field` in the title is the field of the row. */
  each<Row extends object>(
    rows: readonly Row[],
  ): (claim: Claim, title: string, run: (row: Row) => Outcome, timeoutMs?: number) => void;
}

/**
 * Makes the function that registers tests for one list of ids.
 *
 * @param kind The kind of id, for the error about an unknown id.
 * @param known The ids that may be claimed; any other throws when the test file is loaded.
 */
export function claimedTest(kind: string, known: ReadonlySet<string>): ClaimedTest {
  const titled = (claim: Claim, title: string): string => {
    const ids = typeof claim === 'string' ? [claim] : claim;
    const unknown = ids.filter((id) => !known.has(id));
    if (ids.length === 0 || unknown.length > 0) throw new Error(`unknown ${kind}: ${unknown.join(', ') || 'no id'}`);
    return `[${ids.join(', ')}] ${title}`;
  };
  const register = (claim: Claim, title: string, run: () => Outcome, timeoutMs?: number): void =>
    test(titled(claim, title), async () => run(), timeoutMs);
  const each =
    <Row extends object>(rows: readonly Row[]) =>
    (claim: Claim, title: string, run: (row: Row) => Outcome, timeoutMs?: number): void =>
      test.each(rows)(titled(claim, title), async (row) => run(row), timeoutMs);
  return Object.assign(register, { each });
}
