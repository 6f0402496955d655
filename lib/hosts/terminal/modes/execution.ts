import type { Mode } from '../input/content.ts';
import type { CliContext } from '../subcommand.ts';
import type { Session } from './session.ts';

/** Context shared by the lines of one program. */
export interface Execution extends CliContext {
  readonly session: Session;
  readonly mode: Mode;
}

/** No later line can refer to the records of a one-shot command, so printed records are not kept. */
export function isLast({ mode }: Execution): boolean {
  return mode === 'one-shot';
}
