/** Terminal styles. Output is complete without colour. */
import type { Environment, TerminalOutput } from '../host.ts';

type Emphasis = (text: string) => string;

export interface Style {
  readonly bold: Emphasis;
  readonly dim: Emphasis;
  readonly red: Emphasis;
  readonly green: Emphasis;
  readonly yellow: Emphasis;
}

const emphasis =
  (on: number, off: number): Emphasis =>
  (text) =>
    text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`;

const asItIs: Emphasis = (text) => text;

export const PLAIN: Style = { bold: asItIs, dim: asItIs, red: asItIs, green: asItIs, yellow: asItIs };

export const COLOUR: Style = {
  bold: emphasis(1, 22),
  dim: emphasis(2, 22),
  red: emphasis(31, 39),
  green: emphasis(32, 39),
  yellow: emphasis(33, 39),
};

const STYLES = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

/** Removes styles, which take no columns. */
export function withoutStyles(text: string): string {
  return text.replace(STYLES, '');
}

/** Selects colour for a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`. */
export function styleFor(stream: TerminalOutput, environment: Environment): Style {
  const refused = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return stream.isTTY === true && !refused ? COLOUR : PLAIN;
}
