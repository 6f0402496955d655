/** Tells the readers of a session about the run of a line. */

import type { Run, RunRequest, Runs } from '../../../runs/port.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import { errorDocument } from '../problems.ts';
import type { Session } from '../sessions/session.ts';
import { runDocument } from './run-document.ts';

/** Reports each change of a run to its end. @param asked the line, for the entry of a run that was stopped before it began */
export async function tellRun(
  runs: Pick<Runs, 'events'>,
  session: Session,
  started: Run,
  asked: Extract<RunRequest, { kind: 'line' }> & { readonly command: Command | undefined },
): Promise<void> {
  const { events } = session;
  let run = started;
  // A signal of its own, because each listener of a shared signal counts as a leak.
  const signal = AbortSignal.any([events.ending]);
  for await (const { event, data } of runs.events(run.id, 0, signal) ?? []) {
    run = event === 'progress' ? { ...run, ...(data as Pick<Run, 'progress'>) } : (data as Run);
    const { result: _, ...told } = run;
    if (event === 'end' && run.started === null && run.error !== undefined) {
      session.begin({ ...asked, run: run.id }).end({ problem: errorDocument(run.error) });
    }
    events.add('run', runDocument(told));
  }
}
