/** Does the work of runs, and of requests that wait for it, and checks it before it is accepted as a run. */
import { changesNothing } from '../../client/allow.ts';
import type { CommandResult } from '../../client/result.ts';
import { toAisecError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { commandOutcome, performCommand, plainResult, rehearsePlaybook } from '../../runs/perform.ts';
import {
  ownerKey,
  type PerformRun,
  type RunContext,
  type RunOutcome,
  type RunOwner,
  type RunRequest,
} from '../../runs/port.ts';
import type { Tenants } from '../../runs/tenants.ts';
import type { Command, Registry } from '../../runtime/engine/command.ts';
import { checkSeal } from './completion/deletion-seal.ts';
import type { OwnValues } from './completion/own-values.ts';
import type { Metrics } from './metrics.ts';
import { documentOf } from './problems.ts';
import { resultDocument } from './responses/run-document.ts';
import type { Sessions } from './sessions/sessions.ts';

export interface WorkParts {
  readonly tenants: Tenants;
  readonly sessions: Sessions;
  readonly metrics: Pick<Metrics, 'ran'>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly registry: Registry;
  readonly ownValues: Pick<OwnValues, 'changed'>;
}

/** Creates the function that does the work. */
export function workerOf(parts: WorkParts): PerformRun {
  const perform: PerformRun = async (work, owner, reports) => {
    if (work.kind === 'playbook') return rehearsePlaybook(parts.tenants, work, owner, reports);
    if (work.kind === 'line') return runLine(parts, work, owner, reports);
    const run = () => performCommand(parts.tenants, work, owner, reports);
    return commandOutcome(await measured(parts, run), parts.tenants.of(owner).shelf, ownerKey(owner));
  };
  return async (work, owner, reports) => {
    try {
      return await perform(work, owner, reports);
    } finally {
      // Also after a failure: a part may have been done.
      const { command } = reports;
      if (!work.dryRun && (command === undefined || !changesNothing(command))) parts.ownValues.changed(owner);
    }
  };
}

/**
 * Creates the function that checks work. Playbooks are checked when their request is read.
 * @throws the error that the work would raise without a run
 */
export function verifierOf({ tenants, sessions }: Pick<WorkParts, 'tenants' | 'sessions'>) {
  return async (work: RunRequest, owner: RunOwner, command?: Command): Promise<void> => {
    const client = tenants.clientFor(owner);
    if (work.kind === 'command') return client.verify(work.command, work.args as Record<string, unknown>, { command });
    if (work.kind === 'playbook') return undefined;
    const session = sessions.find(ownerKey(owner), work.session);
    try {
      return await client.verifyLine(work.line, { context: session.room.context, command });
    } catch (thrown) {
      // Keep it as an entry, like every failed line.
      session.begin({ ...work, command }).end({ problem: documentOf(thrown) });
      throw thrown;
    }
  };
}

async function runLine(
  parts: WorkParts,
  work: Extract<RunRequest, { kind: 'line' }>,
  owner: RunOwner,
  { run: id, ...reports }: RunContext,
): Promise<RunOutcome> {
  const { session: sessionId, line, seal, dryRun } = work;
  const session = parts.sessions.find(ownerKey(owner), sessionId);
  session.checkRights(owner.limits);
  session.checkRoom();
  const running = session.begin({ ...work, command: reports.command, run: id });
  try {
    const room = parts.tenants.clientFor(owner).join(session.room);
    const onContext = (context: unknown) => {
      if (seal !== undefined) checkSeal(seal, line, reports.command, context);
    };
    const run = () => room.line(line, { ...reports, ...running.observers, onContext, dryRun });
    const result = await measured(parts, run);
    const { shelf } = parts.tenants.of(owner);
    const partial = result.failure !== undefined;
    const entry = running.end({ result: resultDocument(plainResult(result, shelf, ownerKey(owner))), partial });
    return { result: entry, partial };
  } catch (thrown) {
    running.end({ problem: documentOf(thrown) });
    throw thrown;
  }
}

/** Runs a command and measures it. Unknown names are not used as labels. */
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
    const known = command !== undefined && Object.hasOwn(registry, command) ? command : 'none';
    metrics.ran(known, code, clock.elapsed() - since);
    throw thrown;
  }
}
