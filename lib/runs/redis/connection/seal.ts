/** Compresses and encrypts payloads for Redis: AES-256-GCM, each bound to its Redis key. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ConfigurationError } from '../../../core/errors.ts';

/** Keys by id; the first one encrypts. */
export type QueueKeys = ReadonlyMap<string, Buffer>;

export interface Seal {
  /** @param name Redis key of the text; it cannot be decrypted under another key */
  seal(name: string, text: string): Buffer;
  /** @throws ConfigurationError if the payload was written with another key, or has been changed */
  open(name: string, sealed: Uint8Array): string;
  /** Returns a seal that encrypts with a payload's key, so that the payload's writer can read the answer. */
  like(sealed: Uint8Array): Seal;
}

/** A payload that no key can decrypt: it is set aside, not retried. */
export class UnreadableError extends ConfigurationError {}

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, IV_BYTES, TAG_BYTES] = [32, 12, 16];
const [PLAIN, ENCRYPTED] = [0, 1];
/** Maximum size of an inflated payload. */
const MAX_BYTES = 256_000_000;
const ID = /^[A-Za-z0-9_-]{1,32}$/;

/** Reads `AISEC_QUEUE_KEY`. @throws ConfigurationError, whose message omits the key */
export function parseKeys(text = ''): QueueKeys {
  const keys = new Map<string, Buffer>();
  for (const entry of text.split(',').filter((each) => each.trim() !== '')) {
    const [id = '', value = ''] = entry.trim().split(/:(.*)/s);
    const key = Buffer.from(value, 'base64');
    if (!ID.test(id) || key.length !== KEY_BYTES || keys.has(id)) {
      throw new ConfigurationError('AISEC_QUEUE_KEY is not a list of ids and keys.', {
        hint: 'Write ID:KEY with 32 bytes in base64, such as the output of: printf "k1:"; openssl rand -base64 32',
      });
    }
    keys.set(id, key);
  }
  return keys;
}

/**
 * Creates the seal. Without keys, payloads are only compressed.
 * @param id id of the encryption key; default: the first key
 */
export function sealWith(keys: QueueKeys, id?: string): Seal {
  const [first] = keys;
  const named = id === undefined ? undefined : keys.get(id);
  const current = id === undefined || named === undefined ? first : ([id, named] as const);
  return {
    seal: (name, text) => {
      const packed = deflateRawSync(text, { level: 1 });
      if (current === undefined) return Buffer.concat([Buffer.of(PLAIN), packed]);
      const [id, key] = current;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(name));
      const body = Buffer.concat([cipher.update(packed), cipher.final()]);
      const head = Buffer.concat([Buffer.of(ENCRYPTED, id.length), Buffer.from(id)]);
      return Buffer.concat([head, iv, cipher.getAuthTag(), body]);
    },
    open: (name, sealed) => {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const packed = bytes[0] === ENCRYPTED ? decrypted(keys, name, bytes) : plain(keys, bytes);
      try {
        return inflateRawSync(packed, { maxOutputLength: MAX_BYTES }).toString('utf8');
      } catch {
        throw new UnreadableError('A payload in the queue is damaged, or was not written by aisec.', {
          hint: 'See the jobs set aside with: aisec queue',
        });
      }
    },
    like: (sealed) => sealWith(keys, sealed[0] === ENCRYPTED ? keyIdOf(sealed) : undefined),
  };
}

function plain(keys: QueueKeys, bytes: Buffer): Buffer {
  // Otherwise any writer to Redis could bypass the key.
  if (keys.size > 0) {
    throw new UnreadableError('A payload in the queue is not encrypted, and AISEC_QUEUE_KEY is set here.', {
      hint: 'Set the same AISEC_QUEUE_KEY wherever the queue is used.',
    });
  }
  return bytes.subarray(1);
}

function keyIdOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(2, 2 + (bytes[1] ?? 0))).toString();
}

function decrypted(keys: QueueKeys, name: string, bytes: Buffer): Buffer {
  const id = keyIdOf(bytes);
  const start = 2 + id.length;
  const body = start + IV_BYTES + TAG_BYTES;
  const key = keys.get(id);
  if (!ID.test(id)) throw new UnreadableError('A payload in the queue names no key: it was not written by aisec.');
  if (key === undefined) {
    const has = keys.size === 0 ? 'AISEC_QUEUE_KEY is not set here' : 'AISEC_QUEUE_KEY does not have it';
    throw new ConfigurationError(`A payload in the queue is encrypted with the key "${id}", and ${has}.`, {
      hint: 'Add it after the current key, separated by a comma, until all older payloads are done.',
    });
  }
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(start, start + IV_BYTES))
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(start + IV_BYTES, body));
    return Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()]);
  } catch {
    throw new UnreadableError(`A payload in the queue does not open with the key "${id}".`, {
      hint: 'Another key has the same id, or the payload was changed. Compare AISEC_QUEUE_KEY on all machines.',
    });
  }
}
