/** Reads the address of the queue, and checks that it may be used. */
import { ConfigurationError } from '../../../core/errors.ts';
import { parseKeys, type QueueKeys } from './seal.ts';

export interface QueueOptions {
  /** Such as `redis://127.0.0.1:6379`; `rediss:` for TLS. */
  readonly url: string;
  /** `ID:KEY`, with 32 bytes in base64; several are separated by commas, and the first one encrypts. */
  readonly key?: string | undefined;
}

export interface QueueAddress {
  readonly url: string;
  /** Host and port, for messages: a URL may have a password. */
  readonly name: string;
  readonly keys: QueueKeys;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the address. On a network, payloads must be encrypted twice, because they contain prompts.
 * @throws ConfigurationError
 */
export function queueAddress({ url, key }: QueueOptions): QueueAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['redis:', 'rediss:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new ConfigurationError('The address of the queue is not a Redis address.', {
      hint: 'Write it like redis://127.0.0.1:6379, or rediss://queue.example:6379 with TLS.',
    });
  }
  const keys = parseKeys(key);
  const name = `${parsed.hostname}:${parsed.port === '' ? '6379' : parsed.port}`;
  if (!LOOPBACK.test(parsed.hostname)) {
    if (parsed.protocol !== 'rediss:') {
      throw new ConfigurationError(`Redis at ${name} is on another machine, so the connection must use TLS.`, {
        hint: 'Use an address that begins with rediss://.',
      });
    }
    if (keys.size === 0) {
      throw new ConfigurationError(`Redis at ${name} is on another machine, so payloads must be encrypted.`, {
        hint: 'Set AISEC_QUEUE_KEY, the same on all machines: printf "k1:"; openssl rand -base64 32',
      });
    }
  }
  return { url, name, keys };
}
