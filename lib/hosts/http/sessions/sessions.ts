/** Keeps sessions: war rooms over HTTP, each with a context that its lines can refer to. */
import type { LimitedClient } from '../../../client/types.ts';
import { Quota } from '../../../runs/quota.ts';
import { HttpError } from '../problems.ts';
import { Session, type SessionParts } from './session.ts';

/** Maximum sessions per owner; the least recently used session makes room. */
const MAX_SESSIONS = 100;
/** Maximum total size of entries and contexts, per token and per tenant, in bytes of JSON. */
const [OWN_BYTES, TENANT_BYTES] = [50_000_000, 200_000_000];

/** The open sessions of all owners. */
export class Sessions {
  readonly #parts: SessionParts;
  /** Ordered by last use. */
  readonly #sessions = new Map<string, Session>();
  readonly #quota = new Quota({
    noun: 'sessions',
    own: OWN_BYTES,
    tenant: TENANT_BYTES,
    hint: 'Close rooms (sessions) that are no longer needed.',
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
    if (found?.owner !== owner) {
      const detail = 'This room is not open to you: it has ended, or belongs to another token.';
      throw new HttpError(404, 'not-found', detail);
    }
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

  /** Ends the readers of all sessions. */
  end(): void {
    for (const session of this.#sessions.values()) session.end();
  }

  #forget(session: Session): void {
    this.#sessions.delete(session.id);
    session.end();
  }
}
