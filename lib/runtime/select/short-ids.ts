/** Shortens UUIDs for people. */

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const SHORT_ID = 8;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Shortens the UUIDs of one column to unique prefixes. @returns the text for each cell */
export function shortIds(cells: readonly string[]): (cell: string) => string {
  const ids = [...new Set(cells.filter(isUuid))];
  const lengths = [SHORT_ID, 13, 18, 23];
  const length = lengths.find((most) => new Set(ids.map((id) => id.slice(0, most))).size === ids.length);
  return (cell) => (isUuid(cell) && length !== undefined ? cell.slice(0, length) : cell);
}
