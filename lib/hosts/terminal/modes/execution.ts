import type { TerminalHost } from '../host.ts';
import type { Mode } from '../input/content.ts';
import type { Options } from '../options/cli-options.ts';
import type { Format } from '../options/options.ts';
import type { Screen } from '../render/screen.ts';
import type { Report } from '../views/failure.ts';
import type { Ask } from './confirm.ts';
import type { Session } from './session.ts';

/** Context shared by the lines of one program. */
export interface Execution {
  readonly host: TerminalHost;
  readonly session: Session;
  readonly screen: Screen;
  readonly format: Format;
  readonly options: Options;
  readonly report: Report;
  readonly mode: Mode;
  /** Asks the person at the terminal. Default: a question of its own. */
  readonly ask?: Ask;
  /** A person types: names and prefixes of ids are taken for ids. */
  readonly takesNames?: boolean;
}

/** No later line can refer to the records of a one-shot command, so printed records are not kept. */
export function isLast({ mode }: Execution): boolean {
  return mode === 'one-shot';
}
