/** One shard at a worker: its payload, its journal in Redis, and its end. */
import { randomBytes } from 'node:crypto';
import { type AisecError, ConflictError, UsageError } from '../../../engine/errors.ts';
import type { Files, Journal, LineFile, SavedFile } from '../../../engine/ports.ts';
import { KEEP_SECONDS, keyOf } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import type { Seal } from '../connection/seal.ts';
import { OWN, type Owner, openLog, type RedisLog } from './log.ts';
import type { EndRecord, ShardPayload } from './shards.ts';

/** Results are written when so many characters have come: until then the service still has them. */
const BUFFER_CHARACTERS = 65_536;

/** Ends a shard, if this worker still owns it, and tells the coordinator. */
const END = `${OWN}
redis.call('SET', KEYS[3], ARGV[3], 'EX', ARGV[2])
redis.call('PUBLISH', KEYS[4], '1')
return 1
`;

export interface OwnShard {
  readonly payload: ShardPayload;
  /** Files of the command: only the journal of the shard. */
  readonly files: Files;
  /** The shard has ended; its results are all in Redis. */
  isCommitted(): boolean;
  /** Set after Redis refused something: the shard goes on later, from its journal. */
  trouble(): unknown;
  /** The whole work cannot go on. */
  fail(error: AisecError): Promise<void>;
}

/**
 * Takes over a shard. Whoever worked on it before can write no more.
 * @param tenant identity of the tenant that the queue belongs to
 * @returns undefined if there is nothing left to do
 * @throws ConflictError if the shard belongs to another tenant
 */
export async function takeShard(
  { client, start }: RedisLink,
  keys: Seal,
  id: string,
  tenant: string,
): Promise<OwnShard | undefined> {
  const key = (piece: string) => keyOf.shard(id, piece);
  const [sealed, end] = await Promise.all([client.getBuffer(key('in')), client.exists(key('end'))]);
  if (sealed === null || end > 0) return undefined;
  const seal = keys.like(sealed);
  const payload = JSON.parse(seal.open(key('in'), sealed)) as ShardPayload;
  if (payload.tenant.identity !== tenant) throw new ConflictError('This shard belongs to another tenant.');
  const redis = await start();
  const owner: Owner = { keys: [key('owner'), key('in')], value: `${randomBytes(8).toString('hex')} ${redis}` };
  const before = await client.set(key('owner'), owner.value, 'EX', KEEP_SECONDS, 'GET');
  let trouble: unknown;
  const onError = (thrown: unknown) => {
    if (!(thrown instanceof ConflictError)) trouble = thrown;
  };
  const [results, notes] = await Promise.all([
    openLog(client, seal, key('results'), owner, onError),
    openLog(client, seal, key('notes'), owner, onError),
  ]);
  const finish = async (record: EndRecord) => {
    await results.restore();
    await notes.restore();
    const ended = seal.seal(key('end'), JSON.stringify(record));
    const keys = [...owner.keys, key('end'), keyOf.bell(payload.work)];
    if (Number(await client.eval(END, keys.length, ...keys, owner.value, KEEP_SECONDS, ended)) < 0) {
      throw new ConflictError('Another worker has taken over.');
    }
  };
  let isCommitted = false;
  const journal = journalOver(
    results,
    notes,
    // A restart of Redis in between may have lost the last notes: what has no result may have been sent.
    before !== null && !before.endsWith(` ${redis}`) ? [everythingSent(payload)] : [],
    async () => {
      await finish({});
      isCommitted = true;
    },
  );
  return {
    payload,
    files: onlyJournal(journal),
    isCommitted: () => isCommitted,
    trouble: () => trouble,
    fail: (error) => finish({ failure: error.toJSON() }),
  };
}

/** The note of a journal that its prompts are being sent. */
function everythingSent({ rows }: ShardPayload): string {
  return JSON.stringify({ sending: rows.map((_, at) => at + 1) });
}

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
    append: log.append,
    read: async () => {
      let left: string | undefined = [...first, ...log.lines()].map((line) => `${line}\n`).join('');
      return {
        next: async () => {
          const text = left === '' ? undefined : left;
          left = undefined;
          return text;
        },
        close: async () => undefined,
      };
    },
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
