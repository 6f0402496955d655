/** Keeps sessions: war rooms over HTTP, each with a context that its lines can refer to. */
import { randomBytes } from 'node:crypto';
import { parseLine } from '../../client/argv.ts';
import type { LimitedClient, Session as Room } from '../../client/types.ts';
import type { Clock } from '../../core/ports.ts';
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import { describe } from '../../manifest/describe.ts';
import type { RunOwner } from '../../runs/port.ts';
import { Quota } from '../../runs/quota.ts';
import { permits } from '../../runs/rights.ts';
import { MASKED, maskedLine } from '../../runtime/arguments/masked-line.ts';
import type { Command } from '../../runtime/engine/command.ts';
import { HttpError, notFound, notNow, type ProblemDocument } from './problems.ts';

/** Maximum sessions per owner; the least recently used session makes room. */
const MAX_SESSIONS = 100;
const MAX_ENTRIES = 1000;
/** Maximum total size of entries and contexts, per token and per tenant, in bytes of JSON. */
const [OWN_BYTES, TENANT_BYTES] = [50_000_000, 200_000_000];
/** Maximum size of a context, in bytes of JSON. */
const MAX_BYTES = 10_000_000;

/** A line with its result or problem. */
export interface Entry {
  /** Counts from 1. */
  readonly number: number;
  /** The line, secrets masked. */
  readonly line: string;
  readonly result?: unknown;
  readonly problem?: ProblemDocument;
}

export interface SessionParts {
  readonly catalogue: readonly CommandEntry[];
  readonly clock: Pick<Clock, 'now'>;
}

/** The open sessions of all owners. */
export class Sessions {
  readonly #parts: SessionParts;
  /** Ordered by last use. */
  readonly #sessions = new Map<string, Session>();
  readonly #quota = new Quota({
    noun: 'sessions',
    own: OWN_BYTES,
    tenant: TENANT_BYTES,
    hint: 'Close sessions that are no longer needed: DELETE /v1/sessions/{id}.',
  });

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  open(owner: string, client: LimitedClient<object>): Session {
    const session = new Session(owner, client.session(), this.#parts, this.#quota);
    this.#sessions.set(session.id, session);
    for (const oldest of this.list(owner).slice(0, -MAX_SESSIONS)) this.#forget(oldest);
    return session;
  }

  /** Finds a session. @throws HttpError for an unknown session, or another owner's session */
  find(owner: string, id: string): Session {
    const found = this.#sessions.get(id);
    if (found?.owner !== owner) throw notFound('session', 'Open one: POST /v1/sessions.');
    this.#sessions.delete(id);
    this.#sessions.set(id, found);
    return found;
  }

  list(owner: string): readonly Session[] {
    return [...this.#sessions.values()].filter((session) => session.owner === owner);
  }

  close(owner: string, id: string): void {
    this.#forget(this.find(owner, id));
  }

  count(): number {
    return this.#sessions.size;
  }

  #forget(session: Session): void {
    this.#sessions.delete(session.id);
    session.end();
  }
}

/** An open session. */
export class Session {
  readonly id = randomBytes(12).toString('hex');
  readonly owner: string;
  readonly room: Room<object>;
  readonly #parts: SessionParts;
  readonly #quota: Quota;
  readonly #entries: { readonly entry: Entry; readonly bytes: number }[] = [];
  readonly #commands = new Set<string>();
  readonly #created: string;
  #used: string;
  #lines = 0;
  #contextBytes = 2;
  #countedBytes = 0;
  #isOpen = true;

  constructor(owner: string, room: Room<object>, parts: SessionParts, quota: Quota) {
    this.owner = owner;
    this.room = room;
    this.#parts = parts;
    this.#quota = quota;
    this.#created = this.#date();
    this.#used = this.#created;
  }

  get entries(): readonly Entry[] {
    return this.#entries.map(({ entry }) => entry);
  }

  /** Names of the commands whose results the session holds. */
  get commands(): readonly string[] {
    return [...this.#commands];
  }

  /** Returns the session in the form that callers see. */
  summary() {
    const { id } = this;
    const [created, used, lines] = [this.#created, this.#used, this.#lines];
    return { id, created, used, lines, contextBytes: this.#contextBytes, url: `/v1/sessions/${id}` };
  }

  /** Adds an entry. @param command the line's command; undefined if it is unknown */
  keep(line: string, command: Command | undefined, outcome: Pick<Entry, 'result' | 'problem'>): Entry {
    if (command !== undefined && outcome.problem === undefined) this.#commands.add(command.name);
    this.#lines += 1;
    const number = this.#lines;
    this.#used = this.#date();
    this.#contextBytes = Buffer.byteLength(JSON.stringify(this.room.context));
    const entry = { number, line: withoutSecrets(line, command), ...outcome };
    this.#entries.push({ entry, bytes: Buffer.byteLength(JSON.stringify(entry)) });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    this.#count();
    return entry;
  }

  /** Checks that the owner may still run the commands whose results the session holds. @throws HttpError */
  checkRights(limits: RunOwner['limits']): void {
    const mayUse = permits(limits, this.#parts.catalogue);
    const refused = this.commands.find((name) => !mayUse(name));
    if (refused !== undefined) throw notNow('session', refused, 'Open another session: POST /v1/sessions.');
  }

  /** @throws HttpError if its context is full, QuotaError if its token or tenant has no room */
  checkRoom(): void {
    this.#quota.take(this.owner, 0);
    if (this.#contextBytes < MAX_BYTES) return;
    throw new HttpError(409, 'context-size', `The context of this session has more than ${MAX_BYTES} bytes.`, {
      hint: 'Open another session: POST /v1/sessions.',
    });
  }

  /** Releases the session's bytes. */
  end(): void {
    this.#isOpen = false;
    this.#count();
  }

  #count(): void {
    const all = this.#entries.reduce((sum, { bytes }) => sum + bytes, this.#contextBytes);
    const bytes = this.#isOpen ? all : 0;
    this.#quota.add(this.owner, bytes - this.#countedBytes);
    this.#countedBytes = bytes;
  }

  #date(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

/** Masks the secrets of a line, and unknown commands entirely: any of their words may be a secret. */
function withoutSecrets(line: string, command: Command | undefined): string {
  if (command === undefined) return MASKED;
  return maskedLine(`!${command.name}`, describe(command).arguments, parseLine(line), 'secrets');
}
