/** A log in Redis that one owner appends to. Detects a later owner, and lines lost in a Redis restart. */
import type { Redis } from 'ioredis';
import { ConflictError } from '../../../core/errors.ts';
import { KEEP_SECONDS } from '../connection/names.ts';
import type { Seal } from '../connection/seal.ts';

/**
 * Part of each script: aborts it for a writer that is not the owner. If Redis lost the owner key, the current writer keeps
 * ownership while the shard exists.
 */
export const OWN = `
local owner = redis.call('GET', KEYS[1])
if not owner and redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  owner = ARGV[1]
end
if owner ~= ARGV[1] then return -1 end
`;

/** Returns the length so far if bytes are missing before the offset; -1 if there is another owner. */
const APPEND = `${OWN}
local length = redis.call('STRLEN', KEYS[3])
local offset = tonumber(ARGV[3])
if length < offset then return length end
redis.call('SETRANGE', KEYS[3], offset, ARGV[4])
redis.call('EXPIRE', KEYS[3], ARGV[2])
return offset + #ARGV[4]
`;

const LENGTH_BYTES = 4;

/** Who may write. */
export interface Owner {
  /** The owner key, and a key that exists as long as the shard. */
  readonly keys: readonly [owner: string, owned: string];
  readonly value: string;
}

interface Frames {
  readonly lines: readonly string[];
  /** Length up to the last complete frame. */
  readonly bytes: Buffer;
}

/** Location and owner of a log. */
export interface LogPlace {
  readonly client: Redis;
  readonly seal: Seal;
  readonly key: string;
  readonly owner: Owner;
  /** Called when Redis refuses a write. */
  readonly onError: (thrown: unknown) => void;
}

export class RedisLog {
  /** Lines of earlier owners. */
  readonly earlier: readonly string[];
  readonly #place: LogPlace;
  readonly #added: string[] = [];
  readonly #chunks: Buffer[];
  #size: number;
  #last: Promise<void> = Promise.resolve();

  private constructor(place: LogPlace, { lines, bytes }: Frames) {
    this.#place = place;
    this.earlier = lines;
    this.#chunks = [bytes];
    this.#size = bytes.length;
  }

  static async open(place: LogPlace): Promise<RedisLog> {
    return new RedisLog(place, await readFrames(place.client, place.seal, place.key));
  }

  /** All lines so far. */
  lines(): readonly string[] {
    return [...this.earlier, ...this.#added];
  }

  /** Appends in call order. @param text whole lines @throws ConflictError if another owner has taken over */
  append(text: string): Promise<void> {
    const { seal, key } = this.#place;
    return this.#serial(async () => {
      const bytes = frame(seal.seal(key, text));
      const offset = this.#size;
      for (const line of linesOf(text)) this.#added.push(line);
      this.#chunks.push(bytes);
      this.#size += bytes.length;
      await this.#write(offset, bytes);
    });
  }

  /** Rewrites lines that were lost in a Redis restart. */
  restore(): Promise<void> {
    return this.#serial(() => this.#write(this.#size, Buffer.alloc(0)));
  }

  async #write(offset: number, bytes: Buffer): Promise<void> {
    const { client, owner, key } = this.#place;
    const keys = [...owner.keys, key];
    const length = Number(await client.eval(APPEND, keys.length, ...keys, owner.value, KEEP_SECONDS, offset, bytes));
    if (length < 0) throw new ConflictError('Another worker has taken over.');
    if (length >= offset) return undefined;
    return this.#write(length, Buffer.concat(this.#chunks).subarray(length));
  }

  #serial(write: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(write);
    this.#last.catch(this.#place.onError);
    return this.#last;
  }
}

/** Reads a complete log. */
export async function readLog(client: Redis, seal: Seal, key: string): Promise<readonly string[]> {
  return (await readFrames(client, seal, key)).lines;
}

function frame(sealed: Buffer): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUInt32BE(sealed.length);
  return Buffer.concat([head, sealed]);
}

async function readFrames(client: Redis, seal: Seal, key: string): Promise<Frames> {
  const bytes = (await client.getBuffer(key)) ?? Buffer.alloc(0);
  const lines: string[] = [];
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length) {
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    for (const line of linesOf(seal.open(key, bytes.subarray(at + LENGTH_BYTES, end)))) lines.push(line);
    at = end;
  }
  return { lines, bytes: bytes.subarray(0, at) };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
