/** Does the work of runs, and of requests that wait for it, and checks it before it is accepted as a run. */
import { changesNothing } from '../../client/allow.ts';
import type { CommandResult } from '../../client/result.ts';
import type { HostCallOptions } from '../../client/types.ts';
import { toAisecError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import { commandOutcome, performCommand, plainResult, rehearsePlaybook } from '../../runs/perform.ts';
import {
  ownerKey,
  type PerformRun,
  type RunContext,
  type RunOutcome,
  type RunOwner,
  type RunRequest,
} from '../../runs/port.ts';
import { checkRights } from '../../runs/rights.ts';
import type { Tenants } from '../../runs/tenants.ts';
import type { Invocation } from '../../runtime/arguments/lexer.ts';
import type { Command, Registry } from '../../runtime/engine/command.ts';
import { withNeededRole } from './access/rights.ts';
import { checkSeal } from './completion/deletion-seal.ts';
import {
  checkFullName,
  type LineSources,
  namesRecords,
  type TypedLine,
  understood,
  withRecordIds,
} from './completion/line-meaning.ts';
import { listFor, type OwnValues } from './completion/own-values.ts';
import type { Metrics } from './metrics.ts';
import { documentOf } from './problems.ts';
import { resultDocument } from './responses/run-document.ts';
import type { RunningLine } from './sessions/running-line.ts';
import type { Sessions } from './sessions/sessions.ts';

type Context = Readonly<Record<string, unknown>>;
type LineWork = Extract<RunRequest, { kind: 'line' }>;

export interface WorkParts {
  readonly tenants: Tenants;
  readonly sessions: Sessions;
  readonly metrics: Pick<Metrics, 'ran'>;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly registry: Registry;
  readonly catalogue: readonly CommandEntry[];
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
export function verifierOf({
  tenants,
  sessions,
  registry,
  catalogue,
}: Pick<WorkParts, 'tenants' | 'sessions' | 'registry' | 'catalogue'>) {
  return async (work: RunRequest, owner: RunOwner, command?: Command): Promise<void> => {
    const client = tenants.clientFor(owner);
    if (work.kind === 'command') return client.verify(work.command, work.args as Record<string, unknown>, { command });
    if (work.kind === 'playbook') return undefined;
    const session = sessions.find(ownerKey(owner), work.session);
    try {
      const typed = await permitted(work.line, command, owner, { registry, catalogue });
      // The run looks the records up: that may take long.
      if (namesRecords(typed)) return undefined;
      const { context } = session.room;
      return await client.verifyLine(work.line, { context, command, meaning: async () => typed.invocation });
    } catch (thrown) {
      // Keep it as an entry, like every failed line.
      session.begin({ ...work, command }).end({ problem: documentOf(withNeededRole(thrown, owner, catalogue)) });
      throw thrown;
    }
  };
}

async function runLine(
  parts: WorkParts,
  work: LineWork,
  owner: RunOwner,
  { run: id, ...reports }: RunContext,
): Promise<RunOutcome> {
  const { session: sessionId, line, dryRun } = work;
  const session = parts.sessions.find(ownerKey(owner), sessionId);
  session.checkRights(owner.limits);
  session.checkRoom();
  const running = session.begin({ ...work, command: reports.command, run: id });
  try {
    const client = parts.tenants.clientFor(owner);
    const room = client.join(session.room);
    const call = { ...reports, ...running.observers };
    const meaning = (context: Context) =>
      meaningOf(parts, owner, { work, context, command: reports.command, signal: reports.signal, running });
    const run = () => room.line(line, { ...call, meaning, dryRun });
    const result = await measured(parts, run);
    const { shelf } = parts.tenants.of(owner);
    const partial = result.failure !== undefined;
    const entry = running.end({ result: resultDocument(plainResult(result, shelf, ownerKey(owner))), partial });
    return { result: entry, partial };
  } catch (thrown) {
    running.end({ problem: documentOf(withNeededRole(thrown, owner, parts.catalogue)) });
    throw thrown;
  }
}

interface LineCall {
  readonly work: LineWork;
  readonly context: Context;
  readonly command: Command | undefined;
  readonly signal: HostCallOptions['signal'];
  readonly running: Pick<RunningLine, 'lookUp'>;
}

/** Reads a line, whose command the owner may run. @throws NotAllowedError before anything is looked up for it */
async function permitted(
  line: string,
  command: Command | undefined,
  { limits }: RunOwner,
  { registry, catalogue }: Pick<WorkParts, 'registry' | 'catalogue'>,
): Promise<TypedLine> {
  const typed = await understood(line, registry, command);
  checkRights(limits, [typed.invocation.name], catalogue);
  return typed;
}

/** Looks up the names of a line, and checks that a deletion is what a person confirmed. @throws AisecError to refuse the line */
async function meaningOf(
  { registry, catalogue, clock, tenants }: WorkParts,
  owner: RunOwner,
  { work: { line, seal, dryRun }, context, command: known, signal, running }: LineCall,
): Promise<Invocation> {
  const typed = await permitted(line, known, owner, { registry, catalogue });
  const { command } = typed;
  if (command?.effect === 'delete' && seal === undefined && !dryRun) {
    // No person has seen what a name or a short id means.
    checkFullName(line, command);
    return typed.invocation;
  }
  const list: LineSources['list'] = (lookup, within) =>
    listFor(tenants.clientFor(owner), lookup, within, { signal, ...running.lookUp(lookup.command) });
  const invocation = await withRecordIds(typed, { registry, context, list, now: clock.now() });
  if (seal !== undefined) checkSeal(seal, { invocation, command }, context);
  return invocation;
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
