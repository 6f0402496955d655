/** Reads in a moment what needs attention, for the greeting of a person: few requests, a deadline, and no retries. */
import { AisecError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { RunCommand } from '../../engine/run-command.ts';
import { stopOf } from '../../node/stop.ts';
import { type OutputOf, runCommand } from '../commands.ts';
import { blockedModels, expiringKeys, failedScans, mostUrgentFirst } from './attention.ts';
import type { Attention } from './model.ts';
import { groupsOf } from './scans.ts';

/** Deadline of a greeting, in milliseconds. */
export const GREETING_MS = 800;
/** Newest records of each kind: one page of the service. */
export const GREETING_RECORDS = 100;

const LATE_TEXT = `no answer within ${GREETING_MS / 1000} s`;

/** A part that was not read, or not to its end. */
export interface Unread {
  /** Such as `API keys`. */
  readonly what: string;
  /** In a few words. */
  readonly why: string;
  /** In a sentence; may have text of the service. */
  readonly message: string;
}

export interface Greeting {
  /** The most urgent first. */
  readonly attention: readonly Attention[];
  /** Empty if all parts were read. */
  readonly unread: readonly Unread[];
  /** Parts with more records than were read. */
  readonly newestOnly: readonly string[];
  /** Why no part could be read, if all have the same reason. */
  readonly failure?: string;
}

type Reason = Omit<Unread, 'what'>;

interface Found {
  readonly attention: readonly Attention[];
  readonly isCut?: boolean;
  readonly reason?: Reason;
}

interface Part {
  readonly what: string;
  readonly read: (run: RunCommand, now: number) => Promise<Found>;
}

const LATE: Reason = { why: LATE_TEXT, message: LATE_TEXT };

const limit = GREETING_RECORDS;

const PARTS: readonly Part[] = [
  {
    what: 'API keys',
    read: async (run, now) => {
      const keys = await runCommand(run, 'aisec-runtime-api-keys-list', { limit });
      return found(keys, expiringKeys(keys.records, now));
    },
  },
  {
    what: 'model scans',
    read: async (run) => {
      const scans = await runCommand(run, 'aisec-model-security-scans-list', { limit });
      return found(scans, blockedModels(scans.records));
    },
  },
  {
    what: 'red-team scans',
    read: async (run) => {
      const scans = await runCommand(run, 'aisec-redteam-scans-list', { limit });
      return found(scans, failedScans(groupsOf(scans.raw)));
    },
  },
];

type Read = Pick<OutputOf<'aisec-redteam-scans-list'>, 'incomplete' | 'gap'>;

function found({ incomplete, gap }: Read, attention: readonly Attention[]): Found {
  const reason = gap === undefined ? {} : { reason: { why: 'incomplete list', message: gap } };
  return { attention, isCut: incomplete === true, ...reason };
}

/** What a greeting needs of its host. */
export interface GreetingOptions {
  /** Creates a runner whose requests the signal ends. */
  readonly runner: (signal: AbortSignal) => RunCommand;
  readonly clock: Pick<Clock, 'now' | 'wait'>;
  /** Ends the greeting early. */
  readonly signal: AbortSignal;
}

/**
 * Reads the parts concurrently until the deadline, and aborts the late requests. A part that fails counts as unread.
 * @returns undefined if the signal ended it
 */
export async function collectGreeting({ runner, clock, signal }: GreetingOptions): Promise<Greeting | undefined> {
  const stopping = new AbortController();
  const until = AbortSignal.any([signal, stopping.signal]);
  const run = runner(until);
  const now = clock.now();
  const outcomes: Found[] = PARTS.map(() => ({ attention: [], reason: LATE }));
  const reads = PARTS.map(async ({ read }, at) => {
    const outcome = await read(run, now).catch((thrown: unknown) => ({ attention: [], reason: reasonOf(thrown) }));
    outcomes[at] = outcome;
  });
  const deadline = clock.wait(GREETING_MS, stopOf(until)).catch(() => undefined);
  await Promise.race([Promise.all(reads), deadline]);
  // Taken before the abort, which makes every late part a cancelled one.
  const arrived = [...outcomes];
  const wasStopped = signal.aborted;
  stopping.abort();
  return wasStopped ? undefined : greetingOf(arrived);
}

function greetingOf(outcomes: readonly Found[]): Greeting {
  const parts = PARTS.map(({ what }, at) => ({ what, ...outcomes[at] }));
  const unread = parts.flatMap(({ what, reason }) => (reason === undefined ? [] : [{ what, ...reason }]));
  return {
    attention: mostUrgentFirst(parts.flatMap(({ attention = [] }) => attention)),
    unread,
    newestOnly: parts.flatMap(({ what, isCut }) => (isCut === true ? [what] : [])),
    ...(unread.length === parts.length ? sharedReason(unread) : {}),
  };
}

function sharedReason(unread: readonly Unread[]): Pick<Greeting, 'failure'> {
  const [first] = unread;
  if (first === undefined || unread.some(({ why }) => why !== first.why)) return {};
  return { failure: unread.every(({ message }) => message === first.message) ? first.message : first.why };
}

function reasonOf(thrown: unknown): Reason {
  if (!(thrown instanceof AisecError)) return { why: 'unexpected error', message: 'unexpected error' };
  const { status } = thrown;
  const message = thrown.message.replace(/\.$/, '');
  if (status === undefined) return { why: message, message };
  return { why: status === 403 ? 'no permission (HTTP 403)' : `HTTP ${status}`, message };
}
