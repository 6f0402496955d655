/** Handles one shard at a worker: its payload, its journal in Redis, and its end. */
import { randomBytes } from 'node:crypto';
import { type AisecError, ConflictError, UsageError } from '../../../core/errors.ts';
import type { Files, Journal, LineFile, SavedFile } from '../../../core/ports.ts';
import { textReader } from '../../../runtime/bulk/lines.ts';
import { KEEP_SECONDS, keyOf } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import type { Seal } from '../connection/seal.ts';
import { OWN, type Owner, RedisLog } from './log.ts';
import type { EndRecord, ShardPayload } from './shards.ts';

/** Maximum buffered results, in characters: results that are not yet written can be fetched from the service again. */
const BUFFER_CHARACTERS = 65_536;

/** Ends a shard, if this worker still owns it, and notifies the coordinator. */
const END = `${OWN}
redis.call('SET', KEYS[3], ARGV[3], 'EX', ARGV[2])
redis.call('PUBLISH', KEYS[4], '1')
return 1
`;

export class OwnShard {
  readonly payload: ShardPayload;
  /** The command's files: only the shard's journal. */
  readonly files: Files;
  readonly #place: ShardPlace;
  readonly #results: RedisLog;
  readonly #notes: RedisLog;
  #isCommitted = false;

  private constructor(place: ShardPlace, results: RedisLog, notes: RedisLog, first: readonly string[]) {
    this.payload = place.payload;
    this.#place = place;
    this.#results = results;
    this.#notes = notes;
    const commit = async () => {
      await this.#end({});
      this.#isCommitted = true;
    };
    this.files = onlyJournal(journalOver(results, notes, first, commit));
  }

  /**
   * Takes over a shard; its earlier worker can no longer write.
   * @param tenant identity of the queue's tenant
   * @returns undefined if there is nothing left to do
   * @throws ConflictError if the shard belongs to another tenant
   */
  static async take(link: RedisLink, keys: Seal, id: string, tenant: string): Promise<OwnShard | undefined> {
    const { client } = link;
    const key = (piece: string) => keyOf.shard(id, piece);
    const [sealed, end, lost] = await Promise.all([
      client.getBuffer(key('in')),
      client.exists(key('end')),
      client.exists(key('lost')),
    ]);
    if (sealed === null || end > 0) return undefined;
    const seal = keys.like(sealed);
    const payload = JSON.parse(seal.open(key('in'), sealed)) as ShardPayload;
    if (payload.tenant.identity !== tenant) throw new ConflictError('This shard belongs to another tenant.');
    const redis = await link.start();
    const owner: Owner = { keys: [key('owner'), key('in')], value: `${randomBytes(8).toString('hex')} ${redis}` };
    const before = await client.set(key('owner'), owner.value, 'EX', KEEP_SECONDS, 'GET');
    const place: ShardPlace = { client, seal, owner, payload, endKey: key('end'), trouble: undefined };
    const onError = (thrown: unknown) => {
      if (!(thrown instanceof ConflictError)) place.trouble = thrown;
    };
    const open = (piece: string) => RedisLog.open({ client, seal, key: key(piece), owner, onError });
    const [results, notes] = await Promise.all([open('results'), open('notes')]);
    // A Redis restart may have lost the last notes: prompts without a result may have been sent.
    const isUncertain = lost > 0 || (before !== null && !before.endsWith(` ${redis}`));
    return new OwnShard(place, results, notes, isUncertain ? [everythingSent(payload)] : []);
  }

  /** The shard has ended; its results are all in Redis. */
  isCommitted(): boolean {
    return this.#isCommitted;
  }

  /** Set after Redis refused a write: the shard continues later, from its journal. */
  trouble(): unknown {
    return this.#place.trouble;
  }

  /** Ends the whole scan with an error. */
  fail(error: AisecError): Promise<void> {
    return this.#end({ failure: error.toJSON() });
  }

  async #end(record: EndRecord): Promise<void> {
    const { client, seal, owner, payload, endKey } = this.#place;
    await this.#results.restore();
    await this.#notes.restore();
    const ended = seal.seal(endKey, JSON.stringify(record));
    const keys = [...owner.keys, endKey, keyOf.bell(payload.work)];
    if (Number(await client.eval(END, keys.length, ...keys, owner.value, KEEP_SECONDS, ended)) < 0) {
      throw new ConflictError('Another worker has taken over.');
    }
  }
}

/** Location and owner of a shard. */
interface ShardPlace {
  readonly client: RedisLink['client'];
  readonly seal: Seal;
  readonly owner: Owner;
  readonly payload: ShardPayload;
  readonly endKey: string;
  trouble: unknown;
}

/** The journal's note that its prompts are being sent. */
function everythingSent({ rows }: ShardPayload): string {
  return JSON.stringify({ sending: rows.map((_, at) => at + 1) });
}

/** @param first lines before the notes */
function journalOver(
  results: RedisLog,
  notes: RedisLog,
  first: readonly string[],
  commit: () => Promise<void>,
): Journal {
  const buffered = bufferedFile(results);
  return {
    results: buffered,
    notes: lineFile(notes, first),
    continued: results.earlier.length + notes.earlier.length + first.length > 0,
    previous: undefined,
    commit: async (name, contentType) => {
      await buffered.flush();
      await commit();
      return saved(name, contentType);
    },
    remove: async () => undefined,
    suspend: async () => {
      await buffered.flush();
      return saved('shard.jsonl', 'application/jsonl');
    },
  };
}

function saved(name: string, contentType: string): SavedFile {
  return { entry: name, name, size: undefined, contentType };
}

function lineFile(log: RedisLog, first: readonly string[] = []): LineFile {
  return {
    append: (lines) => log.append(lines),
    read: async () => textReader([...first, ...log.lines()].map((line) => `${line}\n`).join('')),
  };
}

function bufferedFile(log: RedisLog): LineFile & { flush(): Promise<void> } {
  let waiting = '';
  const flush = async () => {
    const text = waiting;
    waiting = '';
    if (text !== '') await log.append(text);
  };
  return {
    read: lineFile(log).read,
    append: async (lines) => {
      waiting += lines;
      if (waiting.length > BUFFER_CHARACTERS) await flush();
    },
    flush,
  };
}

function onlyJournal(journal: Journal): Files {
  const none = () => Promise.reject(new UsageError('A shard has no files but its journal.'));
  return { find: none, read: none, create: none, journal: async () => journal };
}
