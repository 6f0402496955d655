/** Does the work of runs, and of requests that wait for it. */
import type { Registry } from '../../command.ts';
import { toAisecError } from '../../errors.ts';
import type { CommandResult } from '../../library/result.ts';
import type { Clock } from '../../ports.ts';
import type { DoWork, RunOwner, RunWork, WorkOutcome, WorkReports } from '../../runs/port.ts';
import { isOwn } from '../../text/own.ts';
import type { Metrics } from './metrics.ts';
import { ownerKey } from './owner.ts';
import { documentOf } from './problems.ts';
import { commandOutcome, rehearsalOutcome, resultDocument } from './results.ts';
import type { SessionStore } from './sessions.ts';
import type { Tenants } from './tenants.ts';

export interface WorkParts {
  readonly tenants: Tenants;
  readonly sessions: SessionStore;
  readonly metrics: Pick<Metrics, 'ran'>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly registry: Registry;
}

/** Creates the function that does it. */
export function workerOf(parts: WorkParts): DoWork {
  return async (work, owner, reports) => {
    if (work.kind === 'playbook') return rehearse(parts, work, owner, reports);
    const { shelf } = parts.tenants.of(owner);
    if (work.kind === 'line') return runLine(parts, work, owner, reports);
    const { command, args, dryRun } = work;
    const call = { ...reports, dryRun };
    const run = () => parts.tenants.clientFor(owner).call(command, args as Record<string, unknown>, call);
    return commandOutcome(await measured(parts, run), shelf, ownerKey(owner));
  };
}

async function runLine(
  parts: WorkParts,
  { session: id, line, dryRun }: Extract<RunWork, { kind: 'line' }>,
  owner: RunOwner,
  reports: WorkReports,
): Promise<WorkOutcome> {
  const session = parts.sessions.find(ownerKey(owner), id);
  session.checkRoom();
  try {
    const run = () => session.room.line(line, { ...reports, dryRun });
    const result = await measured(parts, run);
    const { shelf } = parts.tenants.of(owner);
    const entry = await session.keep(line, { result: resultDocument(result, shelf, ownerKey(owner)) });
    return { result: entry, partial: result.failure !== undefined };
  } catch (thrown) {
    await session.keep(line, { problem: documentOf(thrown) });
    throw thrown;
  }
}

async function rehearse(
  { tenants }: WorkParts,
  { playbook, inputs, dryRun }: Extract<RunWork, { kind: 'playbook' }>,
  owner: RunOwner,
  reports: WorkReports,
): Promise<WorkOutcome> {
  return rehearsalOutcome(await tenants.clientFor(owner).rehearse(playbook, { ...reports, inputs, dryRun }));
}

/** Runs a command, and measures it. The name of one that does not exist is no label. */
async function measured(
  { metrics, clock, registry }: WorkParts,
  run: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const since = clock.elapsed();
  try {
    const result = await run();
    metrics.ran(result.command, result.failure === undefined ? 'done' : result.failure.code, clock.elapsed() - since);
    return result;
  } catch (thrown) {
    const { command, code } = toAisecError(thrown);
    const known = command !== undefined && isOwn(registry, command) ? command : 'none';
    metrics.ran(known, code, clock.elapsed() - since);
    throw thrown;
  }
}
