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

/** `quote`: after a quote in a quoted cell, which ends the cell or is the first half of an escaped quote. */
type State = 'start' | 'plain' | 'quoted' | 'quote';
type Role = 'text' | 'nothing' | 'cell' | 'row';

const [QUOTE, COMMA, LINE_FEED, RETURN] = [0x22, 0x2c, 0x0a, 0x0d];

export interface CsvOptions {
  /** Longer cells are cut, so that an unclosed quote cannot fill the memory. */
  readonly maxCellLength: number;
  /** Every line is a row of one cell. */
  readonly lines?: boolean;
}

const SPECIAL = /[",;\t\r\n]/g;

/** Returns the last of the ordinary characters from here on: the embedded engine takes long for each character. */
function lastOfRun(text: string, at: number): number {
  if (text.charCodeAt(at) === RETURN) return at;
  SPECIAL.lastIndex = at + 1;
  return (SPECIAL.exec(text)?.index ?? text.length) - 1;
}

export class CsvReader {
  private readonly maxCellLength: number;
  private readonly lines: boolean;
  private state: State = 'start';
  private cell = '';
  private cells: string[] = [];
  private rows: CsvRow[] = [];
  private line = 1;
  private begin = 1;
  private afterReturn = false;
  private started = false;

  constructor({ maxCellLength, lines = false }: CsvOptions) {
    this.maxCellLength = maxCellLength;
    this.lines = lines;
  }

  /** Returns the rows that this chunk completes, without blank lines. */
  push(piece: string): CsvRow[] {
    const text = !this.started && piece.charCodeAt(0) === 0xfeff ? piece.slice(1) : piece;
    this.started ||= piece !== '';
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const role = this.roleOf(text.charCodeAt(at));
      if (role === 'text') {
        at = lastOfRun(text, at);
        continue;
      }
      this.keep(text.slice(from, at));
      from = at + 1;
      if (role === 'cell') this.endCell();
      if (role === 'row') this.endRow(false);
    }
    this.keep(text.slice(from));
    return this.rows.splice(0);
  }

  /** Returns the last row at the end of the text. */
  end(): CsvRow[] {
    this.endRow(this.state === 'quoted');
    return this.rows.splice(0);
  }

  private roleOf(code: number): Role {
    const [first, behind] = [this.state === 'start', this.afterReturn];
    this.afterReturn = code === RETURN;
    if (code === RETURN || (code === LINE_FEED && !behind)) this.line += 1;
    if (this.state === 'quoted' || (code === QUOTE && !this.lines && (first || this.state === 'quote'))) {
      const closes = this.state === 'quoted' && code === QUOTE;
      const isText = this.state === 'quoted' ? !closes : this.state === 'quote';
      this.state = closes ? 'quote' : 'quoted';
      return isText ? 'text' : 'nothing';
    }
    if (code === LINE_FEED && behind) {
      this.begin = this.line;
      return 'nothing';
    }
    if (code === LINE_FEED || code === RETURN) return 'row';
    if (code === COMMA && !this.lines) return 'cell';
    this.state = 'plain';
    return 'text';
  }

  private keep(text: string): void {
    if (this.cell.length <= this.maxCellLength) this.cell += text.slice(0, this.maxCellLength + 1 - this.cell.length);
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = '';
    this.state = 'start';
  }

  private endRow(open: boolean): void {
    this.endCell();
    const { cells, begin } = this;
    if (cells.length > 1 || cells[0] !== '') this.rows.push({ cells, line: begin, open });
    this.cells = [];
    this.begin = this.line;
  }
}
