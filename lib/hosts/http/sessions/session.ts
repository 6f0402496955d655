/** One war room over HTTP: its lines, its context, and the events of both. */
import { randomBytes } from 'node:crypto';
import type { ReportedLine } from '../../../client/report-pages.ts';
import type { Session as Room } from '../../../client/types.ts';
import type { Clock } from '../../../core/ports.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import type { RunOwner } from '../../../runs/port.ts';
import type { Quota } from '../../../runs/quota.ts';
import { permits } from '../../../runs/rights.ts';
import { HttpError, notFound, notNow } from '../problems.ts';
import { detached } from './detached.ts';
import type { Entry, KeptEntry } from './entry.ts';
import { entryDetail, reportedLine } from './entry-detail.ts';
import type { EntryHead } from './entry-head.ts';
import type { References } from './references.ts';
import { type EndedLine, RunningLine, type StartedLine } from './running-line.ts';
import { SessionEvents } from './session-events.ts';

const MAX_ENTRIES = 1000;
/** Maximum size of a context, in bytes of JSON. */
const MAX_BYTES = 10_000_000;
/** Maximum size of the requests that a session keeps, in bytes of JSON; the requests of the oldest entry make room. */
const MAX_REQUEST_BYTES = 5_000_000;
/** Maximum number of entries whose references are followed, because each write compares them. */
const MAX_REFERRING = 200;

export interface SessionParts {
  readonly catalogue: readonly CommandEntry[];
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  /** Whether the simulated service responds instead of a tenant. */
  readonly simulates?: boolean;
}

/** An open session. */
export class Session {
  readonly id = randomBytes(12).toString('hex');
  readonly owner: string;
  readonly room: Room<object>;
  readonly events = new SessionEvents();
  readonly #parts: SessionParts;
  readonly #quota: Quota;
  readonly #entries: KeptEntry[] = [];
  /** References of the entries that are not stale, by number. */
  readonly #referring = new Map<number, References>();
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

  get heads(): readonly EntryHead[] {
    return this.#entries.map(({ head }) => head);
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

  /** Returns an entry with its tables and its requests. @throws HttpError for an unknown number */
  detail(number: number) {
    const found = this.#find(number);
    return entryDetail(found, this.#declared(found));
  }

  /** Returns the starred entries for a page to keep. */
  get starred(): readonly ReportedLine[] {
    const starred = this.#entries.filter(({ head }) => head.starred);
    return starred.map((kept) => reportedLine(kept, this.#declared(kept)));
  }

  /** Marks an entry. @throws HttpError for an unknown number */
  star(number: number, starred: boolean): EntryHead {
    const kept = this.#find(number);
    if (kept.head.starred !== starred) {
      kept.head = { ...kept.head, starred };
      this.events.add('star', { number, starred });
    }
    return kept.head;
  }

  /** Begins a line, which becomes an entry when it ends. */
  begin(line: StartedLine): RunningLine {
    const { clock, simulates = false } = this.#parts;
    const keep = (ended: EndedLine) => this.#keep(ended);
    return new RunningLine(line, { clock, simulates, context: () => this.room.context, keep });
  }

  #keep({ commands, head: ended, outcome, seen, references }: EndedLine): Entry {
    for (const name of commands) this.#commands.add(name);
    this.#lines += 1;
    const number = this.#lines;
    this.#used = this.#date();
    this.#contextBytes = bytesOf(this.room.context);
    const whole = { number, ...ended, starred: false };
    const kept = detached({ head: whole, entry: { number, line: whole.line, ...outcome } });
    const { head, entry } = kept.copy;
    const { copy: requests, bytes: requestBytes } = detached(seen.requests);
    this.#entries.push({ head, entry, seen: { requests, omitted: seen.omitted }, bytes: kept.bytes, requestBytes });
    this.#makeRoom();
    this.events.add('entry', head);
    this.#markStale(head.wrote);
    // The line's own result is no later change.
    if (references !== undefined && !head.stale) this.#referring.set(number, references);
    this.#count();
    return entry;
  }

  /** Checks that the owner may still run the commands whose results the session holds. @throws HttpError */
  checkRights(limits: RunOwner['limits']): void {
    const mayUse = permits(limits, this.#parts.catalogue);
    const refused = this.commands.find((name) => !mayUse(name));
    if (refused !== undefined) throw notNow('session', refused, 'Open another room.');
  }

  /** @throws HttpError if its context is full, QuotaError if its token or tenant has no room */
  checkRoom(): void {
    this.#quota.take(this.owner, 0);
    if (this.#contextBytes < MAX_BYTES) return;
    throw new HttpError(409, 'context-size', `The context of this session has more than ${MAX_BYTES} bytes.`, {
      hint: 'Open another room.',
    });
  }

  /** Releases the session's bytes, and ends its readers. */
  end(): void {
    this.#isOpen = false;
    this.events.end();
    this.#count();
  }

  /** Forgets the oldest entry beyond the limit, a starred one last, and the requests of the oldest entries. */
  #makeRoom(): void {
    if (this.#entries.length > MAX_ENTRIES) {
      const at = this.#entries.slice(0, -1).findIndex(({ head }) => !head.starred);
      const [gone] = this.#entries.splice(Math.max(0, at), 1);
      if (gone !== undefined) this.#referring.delete(gone.head.number);
    }
    let sum = this.#entries.reduce((all, { requestBytes }) => all + requestBytes, 0);
    for (const kept of this.#entries.slice(0, -1)) {
      if (sum <= MAX_REQUEST_BYTES) break;
      const { requests, omitted } = kept.seen;
      sum -= kept.requestBytes;
      kept.seen = { requests: [], omitted: omitted + requests.length };
      kept.requestBytes = 0;
    }
  }

  /** Marks the entries whose references have another value after a write to these paths. */
  #markStale(wrote: readonly string[]): void {
    if (wrote.length === 0) return;
    const [context, known] = [this.room.context, new Map<string, string>()];
    for (const number of [...this.#referring.keys()].slice(0, -MAX_REFERRING)) this.#referring.delete(number);
    const numbers = [...this.#referring]
      .filter(([, references]) => references.mayDependOn(wrote) && references.hasChanged(context, known))
      .map(([number]) => number);
    if (numbers.length === 0) return;
    for (const number of numbers) {
      this.#referring.delete(number);
      const kept = this.#find(number);
      kept.head = { ...kept.head, stale: true };
    }
    this.events.add('stale', { numbers });
  }

  #declared({ head }: KeptEntry): CommandEntry | undefined {
    return this.#parts.catalogue.find(({ name }) => name === head.command);
  }

  #find(number: number): KeptEntry {
    const found = this.#entries.find(({ head }) => head.number === number);
    if (found === undefined) throw notFound('entry', 'See the list of entries; the oldest ones are forgotten.');
    return found;
  }

  #count(): void {
    const kept = this.#entries.reduce((sum, { bytes, requestBytes }) => sum + bytes + requestBytes, 0);
    const followed = [...this.#referring.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const bytes = this.#isOpen ? kept + followed + this.#contextBytes + this.events.bytes : 0;
    this.#quota.add(this.owner, bytes - this.#countedBytes);
    this.#countedBytes = bytes;
  }

  #date(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
