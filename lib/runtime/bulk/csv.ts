/**
 * Parses CSV in chunks: RFC 4180, tolerant of common deviations; a row ends at LF or CR LF. Written here, because
 * libraries read either a Node stream, which neutral code cannot use, or the whole text at once, which would keep a
 * million rows in memory.
 */

export interface CsvRow {
  readonly cells: readonly string[];
  /** First line of the row, counted from 1. */
  readonly line: number;
  /** Last line of the row. */
  readonly lastLine: number;
  /**
   * `open`: a quote is never closed, so the row runs to the end of the text; `text`: there is text after a closing
   * quote.
   */
  readonly quotes: 'right' | 'open' | 'text';
}

/**
 * `quote`: after a quote in a quoted cell, which ends the cell or is the first half of an escaped quote; `closed`:
 * after that cell, where only white space may follow.
 */
type State = 'start' | 'plain' | 'quoted' | 'quote' | 'closed';
type Role = 'text' | 'nothing' | 'cell' | 'row';

const [QUOTE, LINE_FEED] = [0x22, 0x0a];

export interface CsvOptions {
  /** Maximum length of a cell; longer cells are cut, so that an unclosed quote cannot fill the memory. */
  readonly maxCellLength: number;
  /** If true, every line is a row of one cell. */
  readonly lines?: boolean;
  /** The character between cells; a comma by default. */
  readonly delimiter?: string;
}

const SPECIAL = /[",;|\t\n]/g;

/** Finds the last of a run of ordinary characters in one step, because the embedded engine is slow at each character. */
function lastOfRun(text: string, at: number): number {
  SPECIAL.lastIndex = at + 1;
  return (SPECIAL.exec(text)?.index ?? text.length) - 1;
}

export class CsvReader {
  private readonly maxCellLength: number;
  private readonly lines: boolean;
  private readonly delimiter: number;
  private state: State = 'start';
  private cell = '';
  private cells: string[] = [];
  private rows: CsvRow[] = [];
  private line = 1;
  private begin = 1;
  private quotes: CsvRow['quotes'] = 'right';
  private started = false;

  constructor({ maxCellLength, lines = false, delimiter = ',' }: CsvOptions) {
    this.maxCellLength = maxCellLength;
    this.lines = lines;
    this.delimiter = delimiter.charCodeAt(0);
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
      if (role === 'row') this.endRow(this.line - 1);
    }
    this.keep(text.slice(from));
    return this.rows.splice(0);
  }

  /** Returns the last row at the end of the text. */
  end(): CsvRow[] {
    if (this.state === 'quoted') this.quotes = 'open';
    this.endRow(this.line);
    return this.rows.splice(0);
  }

  private roleOf(code: number): Role {
    if (code === LINE_FEED) this.line += 1;
    if (this.state === 'quoted') {
      if (code !== QUOTE) return 'text';
      this.state = 'quote';
      return 'nothing';
    }
    if (code === LINE_FEED) return 'row';
    if (code === this.delimiter && !this.lines) return 'cell';
    if (code === QUOTE && !this.lines && (this.state === 'start' || this.state === 'quote')) {
      const isText = this.state === 'quote';
      this.state = 'quoted';
      return isText ? 'text' : 'nothing';
    }
    if (this.state === 'start' || this.state === 'plain') {
      this.state = 'plain';
      return 'text';
    }
    this.state = 'closed';
    if (/\S/.test(String.fromCharCode(code))) this.quotes = 'text';
    return 'nothing';
  }

  private keep(text: string): void {
    if (this.cell.length <= this.maxCellLength) this.cell += text.slice(0, this.maxCellLength + 1 - this.cell.length);
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = '';
    this.state = 'start';
  }

  private endRow(lastLine: number): void {
    if (this.state === 'plain' && this.cell.endsWith('\r')) this.cell = this.cell.slice(0, -1);
    this.endCell();
    const { cells, begin, line, quotes } = this;
    if (cells.length > 1 || cells[0] !== '') this.rows.push({ cells, line: begin, lastLine, quotes });
    [this.cells, this.begin, this.quotes] = [[], line, 'right'];
  }
}
