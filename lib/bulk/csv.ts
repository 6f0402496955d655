/**
 * Parses CSV in chunks: RFC 4180, tolerant of common deviations. Own code, because libraries read either a stream of
 * Node, which neutral code cannot use, or the whole text at once, which would keep a million rows in memory.
 */

export interface CsvRow {
  readonly cells: readonly string[];
  /** First line of the row, counted from 1. */
  readonly line: number;
  /** A quote in the row is never closed, so the row runs to the end of the text. */
  readonly open: boolean;
}

export interface CsvReader {
  /** Returns the rows that this chunk completes, without blank lines. */
  push(piece: string): CsvRow[];
  /** Returns the last row at the end of the text. */
  end(): CsvRow[];
}

/** `quote`: after a quote in a quoted cell, which ends the cell or is the first half of an escaped quote. */
type State = 'start' | 'plain' | 'quoted' | 'quote';
type Role = 'text' | 'nothing' | 'cell' | 'row';

const [QUOTE, COMMA, LINE_FEED, RETURN] = [0x22, 0x2c, 0x0a, 0x0d];

/**
 * Creates a parser.
 * @param maxCellLength longer cells are cut, so that an unclosed quote cannot fill the memory
 * @param lines every line is a row of one cell
 */
export function csvReader({ maxCellLength, lines = false }: { maxCellLength: number; lines?: boolean }): CsvReader {
  let state: State = 'start';
  let cell = '';
  let cells: string[] = [];
  let rows: CsvRow[] = [];
  let [line, begin] = [1, 1];
  let afterReturn = false;
  let started = false;

  const keep = (text: string) => {
    if (cell.length <= maxCellLength) cell += text.slice(0, maxCellLength + 1 - cell.length);
  };

  const endCell = () => {
    cells.push(cell);
    cell = '';
    state = 'start';
  };

  const endRow = (open: boolean) => {
    endCell();
    if (cells.length > 1 || cells[0] !== '') rows.push({ cells, line: begin, open });
    cells = [];
    begin = line;
  };

  const roleOf = (code: number): Role => {
    const [first, behind] = [state === 'start', afterReturn];
    afterReturn = code === RETURN;
    if (code === RETURN || (code === LINE_FEED && !behind)) line += 1;
    if (state === 'quoted' || (code === QUOTE && !lines && (first || state === 'quote'))) {
      const closes = state === 'quoted' && code === QUOTE;
      const isText = state === 'quoted' ? !closes : state === 'quote';
      state = closes ? 'quote' : 'quoted';
      return isText ? 'text' : 'nothing';
    }
    if (code === LINE_FEED && behind) {
      begin = line;
      return 'nothing';
    }
    if (code === LINE_FEED || code === RETURN) return 'row';
    if (code === COMMA && !lines) return 'cell';
    state = 'plain';
    return 'text';
  };

  const drain = (): CsvRow[] => {
    const done = rows;
    rows = [];
    return done;
  };

  return {
    push: (piece) => {
      const text = !started && piece.charCodeAt(0) === 0xfeff ? piece.slice(1) : piece;
      started ||= piece !== '';
      let from = 0;
      for (let at = 0; at < text.length; at += 1) {
        const role = roleOf(text.charCodeAt(at));
        if (role === 'text') continue;
        keep(text.slice(from, at));
        from = at + 1;
        if (role === 'cell') endCell();
        if (role === 'row') endRow(false);
      }
      keep(text.slice(from));
      return drain();
    },
    end: () => {
      endRow(state === 'quoted');
      return drain();
    },
  };
}
