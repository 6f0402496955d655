/**
 * CSV in pieces: RFC 4180, and tolerant where people are. A reader of our own, because the library for it reads either
 * a stream of Node or the whole text at once: the one is not neutral, the other holds a file of a million rows in memory.
 */

export interface CsvRow {
  readonly cells: readonly string[];
  /** Where it begins, counted from 1. */
  readonly line: number;
  /** A quote was opened in it and never closed, so that it runs to the end of the text. */
  readonly open: boolean;
}

export interface CsvReader {
  /** The rows that this piece completes; blank lines are none. */
  push(piece: string): CsvRow[];
  /** What is left at the end of the text. */
  end(): CsvRow[];
}

/** `quote`: behind a quote inside quotes, which either ends the cell or is the first half of a quote that is meant. */
type State = 'start' | 'plain' | 'quoted' | 'quote';
type Meaning = 'text' | 'nothing' | 'cell' | 'row';

const [QUOTE, COMMA, LINE_FEED, RETURN] = [0x22, 0x2c, 0x0a, 0x0d];

/**
 * @param longest of a longer cell only the beginning is kept, so that an unclosed quote cannot fill the memory
 * @param lines every line is a row of one cell, whatever is in it
 */
export function csvReader({ longest, lines = false }: { longest: number; lines?: boolean }): CsvReader {
  let state: State = 'start';
  let cell = '';
  let cells: string[] = [];
  let rows: CsvRow[] = [];
  let [line, begin] = [1, 1];
  let afterReturn = false;
  let started = false;

  const keep = (text: string) => {
    if (cell.length <= longest) cell += text.slice(0, longest + 1 - cell.length);
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

  const meaningOf = (code: number): Meaning => {
    const [first, behind] = [state === 'start', afterReturn];
    afterReturn = code === RETURN;
    if (code === RETURN || (code === LINE_FEED && !behind)) line += 1;
    if (state === 'quoted' || (code === QUOTE && !lines && (first || state === 'quote'))) {
      const closes = state === 'quoted' && code === QUOTE;
      const meant = state === 'quoted' ? !closes : state === 'quote';
      state = closes ? 'quote' : 'quoted';
      return meant ? 'text' : 'nothing';
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

  const taken = (): CsvRow[] => {
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
        const meaning = meaningOf(text.charCodeAt(at));
        if (meaning === 'text') continue;
        keep(text.slice(from, at));
        from = at + 1;
        if (meaning === 'cell') endCell();
        if (meaning === 'row') endRow(false);
      }
      keep(text.slice(from));
      return taken();
    },
    end: () => {
      endRow(state === 'quoted');
      return taken();
    },
  };
}
