/** Sessions: war rooms over HTTP, each with a context that its lines can refer to. */
import { randomBytes } from 'node:crypto';
import { parseLine } from '../../arguments/argv.ts';
import type { LimitedClient, Session } from '../../client/types.ts';
import { findCommand, type Registry } from '../../engine/command.ts';
import type { Clock } from '../../engine/ports.ts';
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import { describe } from '../../manifest/describe.ts';
import { MASKED, maskedLine } from '../../redaction/masked-line.ts';
import type { RunOwner } from '../../runs/port.ts';
import { Quota } from '../../runs/quota.ts';
import { permits } from '../../runs/rights.ts';
import type { ProblemDocument } from './error-document.ts';
import { HttpError, notFound, notNow } from './problems.ts';

/** Sessions of one owner; the one that was used least recently makes room. */
const MOST = 100;
const MAX_ENTRIES = 1000;
/** Size of the entries and contexts of one token and of one tenant, in bytes of JSON. */
const [OWN_BYTES, TENANT_BYTES] = [50_000_000, 200_000_000];
/** Size of a context, in bytes of JSON. */
const MAX_BYTES = 10_000_000;

/** One line with its result, or with the problem that it met. */
export interface Entry {
  /** Counts from 1. */
  readonly number: number;
  /** The line, secrets masked. */
  readonly line: string;
  /** As clients see it. */
  readonly result?: unknown;
  readonly problem?: ProblemDocument;
}

/** An open session. */
export interface OpenSession {
  readonly id: string;
  readonly owner: string;
  readonly room: Session<object>;
  /** Adds an entry. @param command name of the command whose result it has */
  keep(line: string, outcome: Pick<Entry, 'result' | 'problem'>, command?: string): Promise<Entry>;
  /** Checks that the owner may still run the commands whose results the session has. @throws HttpError */
  checkRights(limits: RunOwner['limits']): void;
  /** Names of these commands. */
  commands(): readonly string[];
  /** @throws HttpError if its context has no room for more, QuotaError if its token or tenant has none */
  checkRoom(): void;
  /** Gives its bytes back. */
  forget(): void;
  /** What callers see. */
  summary(): object;
  entries(): readonly Entry[];
}

export interface SessionStore {
  open(owner: string, client: LimitedClient<object>): OpenSession;
  /** Finds a session. @throws HttpError if there is none, or if it belongs to others */
  find(owner: string, id: string): OpenSession;
  list(owner: string): readonly OpenSession[];
  close(owner: string, id: string): void;
  count(): number;
}

export interface SessionParts {
  readonly registry: Registry;
  readonly catalogue: readonly CommandEntry[];
  readonly clock: Pick<Clock, 'now'>;
}

/** Creates the store. */
export function sessionStore(parts: SessionParts): SessionStore {
  const sessions = new Map<string, OpenSession>();
  const quota = new Quota({
    noun: 'sessions',
    own: OWN_BYTES,
    tenant: TENANT_BYTES,
    hint: 'Close sessions that are no longer needed: DELETE /v1/sessions/{id}.',
  });
  const forget = (session: OpenSession) => {
    sessions.delete(session.id);
    session.forget();
  };
  const list = (owner: string) => [...sessions.values()].filter((session) => session.owner === owner);
  const find = (owner: string, id: string) => {
    const found = sessions.get(id);
    if (found?.owner !== owner) throw notFound('session', 'Open one: POST /v1/sessions.');
    // The last in the map is the one that was used last.
    sessions.delete(id);
    sessions.set(id, found);
    return found;
  };
  return {
    open: (owner, client) => {
      const session = newSession(owner, client, parts, quota);
      sessions.set(session.id, session);
      const own = list(owner);
      for (const oldest of own.slice(0, Math.max(0, own.length - MOST))) forget(oldest);
      return session;
    },
    find,
    list,
    close: (owner, id) => forget(find(owner, id)),
    count: () => sessions.size,
  };
}

function newSession(
  owner: string,
  client: LimitedClient<object>,
  { registry, catalogue, clock }: SessionParts,
  quota: Quota,
): OpenSession {
  const id = randomBytes(12).toString('hex');
  const room = client.session();
  const entries: Entry[] = [];
  const commands = new Set<string>();
  const date = () => new Date(clock.now()).toISOString();
  const created = date();
  let used = created;
  let number = 0;
  let contextBytes = 2;
  let [counted, isOpen] = [0, true];
  const sizes: number[] = [];
  const count = () => {
    const bytes = isOpen ? contextBytes + sizes.reduce((sum, size) => sum + size, 0) : 0;
    quota.add(owner, bytes - counted);
    counted = bytes;
  };
  return {
    id,
    owner,
    room,
    keep: async (line, outcome, command) => {
      if (command !== undefined) commands.add(command);
      number += 1;
      used = date();
      contextBytes = Buffer.byteLength(JSON.stringify(room.context));
      const entry = { number, line: await withoutSecrets(line, registry), ...outcome };
      entries.push(entry);
      sizes.push(Buffer.byteLength(JSON.stringify(entry)));
      if (entries.length > MAX_ENTRIES) {
        entries.shift();
        sizes.shift();
      }
      count();
      return entry;
    },
    forget: () => {
      isOpen = false;
      count();
    },
    checkRights: (limits) => {
      const mayUse = permits(limits, catalogue);
      const refused = [...commands].find((name) => !mayUse(name));
      if (refused !== undefined) throw notNow('session', refused, 'Open another session: POST /v1/sessions.');
    },
    commands: () => [...commands],
    checkRoom: () => {
      quota.take(owner, 0);
      if (contextBytes < MAX_BYTES) return;
      throw new HttpError(409, 'context-size', `The context of this session has more than ${MAX_BYTES} bytes.`, {
        hint: 'Open another session: POST /v1/sessions.',
      });
    },
    summary: () => ({ id, created, used, lines: number, contextBytes, url: `/v1/sessions/${id}` }),
    entries: () => entries,
  };
}

/** Masks the secrets of a line; of one that is no command, every word may be one. */
async function withoutSecrets(line: string, registry: Registry): Promise<string> {
  try {
    const invocation = parseLine(line);
    const command = await findCommand(registry, invocation.name);
    if (command !== undefined)
      return maskedLine(`!${command.name}`, describe(command).arguments, invocation, 'secrets');
  } catch {
    // A line that does not parse is answered with the problem that says why.
  }
  return MASKED;
}
