/** Runs commands for requests: at once, or as a run that outlives its request. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newSignal } from '../../../client/stop.ts';
import type { StopSignal } from '../../../client/types.ts';
import { type Origin, ownerKey, type RunOwner, type RunRequest, requestedCommands } from '../../../runs/port.ts';
import { checkRights } from '../../../runs/rights.ts';
import { parseValue } from '../../../runtime/arguments/kinds.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import { callerOf, withNeededRole } from '../access/rights.ts';
import { HttpError, PROBLEM_TYPE, problemOf } from '../problems.ts';
import { whenOver } from '../response-end.ts';
import type { Service } from '../service.ts';
import type { Answer, Kept } from './idempotency.ts';
import { resultDocument, runDocument } from './run-document.ts';
import { tellRun } from './tell-run.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The work of a request. */
export interface Requested {
  readonly owner: RunOwner;
  readonly work: RunRequest;
  /** The declaration of its command; undefined for a playbook, and for a line that will be refused. */
  readonly command?: Command | undefined;
  /** Whether to respond at once with a run that does the work. */
  readonly later: boolean;
  /** Whether the work may change something. */
  readonly changes: boolean;
}

/** Answers a request with the result of its work, or with the run that does it. @returns the body, as JSON text */
export async function answer(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Requested,
): Promise<string> {
  reply.command = asked.command;
  if (service.stopping.aborted) throw stopping();
  if (asked.changes) await service.audit.check();
  const requested = { ...asked, owner: { ...asked.owner, origin: originOf(request, service) } };
  const key = request.headers['idempotency-key'];
  // Check a stored response like a new request. A playbook's tasks are known before it starts.
  if (key !== undefined || requested.work.kind === 'playbook') {
    try {
      checkRights(requested.owner.limits, requestedCommands(requested.work), service.catalogue);
    } catch (thrown) {
      throw withNeededRole(thrown, requested.owner, service.catalogue);
    }
  }
  if (key === undefined) {
    const { signal, release } = untilLeft(reply, service.halting);
    try {
      return answered(reply, await perform(service, requested, signal));
    } finally {
      release();
    }
  }
  const text = JSON.stringify([request.url, requested.later, request.body]);
  // Finish the work even if the client leaves: its next request gets the result.
  const done = () => perform(service, requested, service.halting);
  return answered(reply, await service.idempotency.once(ownerKey(requested.owner), String(key), text, done));
}

/** Returns the caller of the work, for the audit. */
export function originOf(request: FastifyRequest, { clock, audit }: Service): Origin {
  const { name: caller, role } = callerOf(request);
  return { request: request.id, caller, role, remote: request.ip, since: clock.now(), audited: audit.isKept };
}

/** Returns the error for requests while the service is stopping. */
export function stopping(): HttpError {
  return new HttpError(503, 'stopping', 'The service is stopping.', {
    headers: { 'retry-after': '10' },
    retryable: true,
  });
}

/** Reports whether the client asks for a run. */
export function prefersRun({ headers }: FastifyRequest): boolean {
  const { prefer = '' } = headers;
  return String(prefer)
    .split(',')
    .some((word) => word.split(';')[0]?.trim().toLowerCase() === 'respond-async');
}

/** Reports whether a command with this value of `wait` waits for the end of its job. It is parsed as the command parses it. */
export function waitsForJob({ job, args }: Command, wait: unknown): boolean {
  const argument = args['wait'];
  if (job === undefined || argument === undefined || wait === undefined) return false;
  const parsed = parseValue('wait', argument, wait);
  return 'value' in parsed && parsed.value === true;
}

async function perform(
  service: Service,
  { owner, work, command, later }: Requested,
  signal: StopSignal,
): Promise<Answer> {
  try {
    if (!later) {
      const { result } = await service.doWork(work, owner, { command, signal, onProgress: ignore, onTask: ignore });
      return { status: 200, headers: {}, body: JSON.stringify(resultDocument(result)), forget: false };
    }
    await service.verify(work, owner, command);
    const run = await service.runs.start(owner, work, command);
    if (work.kind === 'line') {
      const session = service.sessions.find(ownerKey(owner), work.session);
      void tellRun(service.runs, session, run, { ...work, command });
    }
    const document = runDocument(run);
    const headers = { location: document.url, 'preference-applied': 'respond-async' };
    return { status: 202, headers, body: JSON.stringify(document), forget: false, run: run.id };
  } catch (thrown) {
    const { body, headers } = problemOf(withNeededRole(thrown, owner, service.catalogue));
    // Nothing was done, or the same request may be sent again: keep its key usable.
    const { status, code, retryable } = body;
    return { status, headers, code, body: JSON.stringify(body), forget: retryable || status < 409 };
  }
}

function ignore(): void {
  // A response cannot carry progress.
}

/** Prepares a response. @returns its body */
function answered(reply: FastifyReply, { status, headers, body, code, run, ...kept }: Answer | Kept): string {
  reply.problemCode = code;
  reply.startedRun = run;
  const type = status < 400 ? JSON_TYPE : `${PROBLEM_TYPE}; charset=utf-8`;
  const replayed = 'replayed' in kept && kept.replayed ? { 'idempotent-replayed': 'true' } : {};
  void reply
    .code(status)
    .headers({ ...headers, ...replayed })
    .type(type);
  // Return the text: Fastify would wait for the end of a returned reply.
  return body;
}

/** Returns a signal that aborts if the client leaves before its response, or if the service ends. */
function untilLeft(reply: FastifyReply, halting: StopSignal): { signal: StopSignal; release(): void } {
  const { signal, abort } = newSignal();
  const closed = () => {
    if (!reply.raw.writableFinished) abort();
  };
  whenOver(reply, closed);
  halting.addEventListener('abort', abort);
  if (halting.aborted) abort();
  return { signal, release: () => halting.removeEventListener('abort', abort) };
}
