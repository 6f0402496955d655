/** Terminal styles. Output is complete without colour. */
import type { Environment, TerminalOutput } from './host.ts';

const emphasis = (on: number, off: number) => (text: string) => (text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`);

const asItIs = (text: string) => text;

export type Style = typeof PLAIN;

export const PLAIN = { bold: asItIs, dim: asItIs, red: asItIs, green: asItIs, yellow: asItIs };

export const COLOUR: Style = {
  bold: emphasis(1, 22),
  dim: emphasis(2, 22),
  red: emphasis(31, 39),
  green: emphasis(32, 39),
  yellow: emphasis(33, 39),
};

/** Selects colour for a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`. */
export function styleFor(stream: TerminalOutput, environment: Environment): Style {
  const refused = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return stream.isTTY === true && !refused ? COLOUR : PLAIN;
}
