/** Lines in Redis that one owner appends to. It notices an owner that came later, and lines that a restart of Redis has lost. */
import type { Redis } from 'ioredis';
import { ConflictError } from '../../../engine/errors.ts';
import { KEEP_SECONDS } from '../connection/names.ts';
import type { Seal } from '../connection/seal.ts';

/**
 * Ends a script of another owner. One that a restart of Redis has lost is the one that is still there, unless all of the shard
 * is gone.
 */
export const OWN = `
local owner = redis.call('GET', KEYS[1])
if not owner and redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  owner = ARGV[1]
end
if owner ~= ARGV[1] then return -1 end
`;

/** Returns the length so far, if something is missing before the offset; -1 for another owner. */
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
  /** The key of the owner, and one that is there as long as there is something to own. */
  readonly keys: readonly [owner: string, owned: string];
  readonly value: string;
}

export interface RedisLog {
  /** Lines that an earlier owner has left. */
  readonly earlier: readonly string[];
  /** All lines so far. */
  lines(): readonly string[];
  /** Appends in the order of the calls. @param text whole lines @throws ConflictError after another has taken over */
  append(text: string): Promise<void>;
  /** Writes again what a restart of Redis has lost. */
  restore(): Promise<void>;
}

/** Opens a log. @param onError is told when Redis refuses something */
export async function openLog(
  client: Redis,
  seal: Seal,
  key: string,
  owner: Owner,
  onError: (thrown: unknown) => void,
): Promise<RedisLog> {
  const stored = await readFrames(client, seal, key);
  const earlier = stored.lines;
  const added: string[] = [];
  const chunks: Buffer[] = [stored.bytes];
  let size = stored.bytes.length;
  let last: Promise<void> = Promise.resolve();

  const write = async (offset: number, bytes: Buffer): Promise<void> => {
    const keys = [...owner.keys, key];
    const length = Number(await client.eval(APPEND, keys.length, ...keys, owner.value, KEEP_SECONDS, offset, bytes));
    if (length < 0) throw new ConflictError('Another worker has taken over.');
    if (length >= offset) return undefined;
    const all = Buffer.concat(chunks);
    return write(length, all.subarray(length));
  };

  const serial = (work: () => Promise<void>) => {
    last = last.then(work);
    last.catch(onError);
    return last;
  };

  return {
    earlier,
    lines: () => [...earlier, ...added],
    append: (text) =>
      serial(async () => {
        const bytes = frame(seal.seal(key, text));
        const offset = size;
        for (const line of linesOf(text)) added.push(line);
        chunks.push(bytes);
        size += bytes.length;
        await write(offset, bytes);
      }),
    restore: () => serial(() => write(size, Buffer.alloc(0))),
  };
}

/** Reads a log that nobody appends to any more. */
export async function readLog(client: Redis, seal: Seal, key: string): Promise<readonly string[]> {
  return (await readFrames(client, seal, key)).lines;
}

function frame(sealed: Buffer): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUInt32BE(sealed.length);
  return Buffer.concat([head, sealed]);
}

/** @returns the lines, and the bytes up to the last whole frame */
async function readFrames(client: Redis, seal: Seal, key: string): Promise<{ lines: string[]; bytes: Buffer }> {
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
