/** What goes into Redis: its address, its keys, and its encryption. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import * as errors from '../../../lib/core/errors.ts';
import { ConfigurationError } from '../../../lib/core/errors.ts';
import { errorFrom } from '../../../lib/runs/redis/connection/redis-error.ts';
import { parseKeys, sealWith } from '../../../lib/runs/redis/connection/seal.ts';
import { queueAddress } from '../../../lib/runs/redis/queue.ts';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [ONE, TWO] = [newKey('one'), newKey('two')];

describe('A payload', () => {
  it.each([
    ['with a key', ONE],
    ['without a key', ''],
  ])('%s round-trips unchanged', (_what, key) => {
    const seal = sealWith(parseKeys(key));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, name) => {
        expect(seal.open(name, seal.seal(name, text))).toBe(text);
      }),
    );
  });

  it('is encrypted differently each time, and reveals nothing of its text', () => {
    const seal = sealWith(parseKeys(ONE));
    const [first, second] = [seal.seal('a', 'a secret prompt'), seal.seal('a', 'a secret prompt')];
    expect(first.equals(second)).toBe(false);
    expect(first.toString('latin1')).not.toContain('secret');
  });

  it('cannot be opened under another name or after any bit was changed', () => {
    const seal = sealWith(parseKeys(ONE));
    const sealed = seal.seal('shard-1', 'text');
    expect(() => seal.open('shard-2', sealed)).toThrow(ConfigurationError);
    for (const at of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => seal.open('shard-1', changed)).toThrow(ConfigurationError);
    }
  });

  it('of an older key opens while the key is configured, and is answered with the same key', () => {
    const [older, both] = [sealWith(parseKeys(ONE)), sealWith(parseKeys(`${TWO}, ${ONE}`))];
    const sealed = older.seal('a', 'text');
    expect(both.open('a', sealed)).toBe('text');
    expect(older.open('b', both.like(sealed).seal('b', 'answer'))).toBe('answer');
    expect(() => older.open('b', both.seal('b', 'answer'))).toThrow('encrypted with the key "two"');
    expect(() => sealWith(parseKeys(TWO)).open('a', sealed)).toThrow('AISEC_QUEUE_KEY does not have it');
    expect(() => sealWith(parseKeys('')).open('a', sealed)).toThrow('AISEC_QUEUE_KEY is not set here');
  });

  it('without encryption is refused by a process with a key', () => {
    const plain = sealWith(parseKeys('')).seal('a', 'forged');
    expect(() => sealWith(parseKeys(ONE)).open('a', plain)).toThrow('is not encrypted');
  });
});

describe('AISEC_QUEUE_KEY', () => {
  it.each(['abc', 'k1:', 'k1:c2hvcnQ=', `${ONE},${ONE}`, `a b:${ONE.slice(4)}`])(
    'refuses %j without showing it',
    (text) => {
      const thrown = (() => {
        try {
          return parseKeys(text);
        } catch (error) {
          return error;
        }
      })();
      expect(thrown).toBeInstanceOf(ConfigurationError);
      expect(JSON.stringify(thrown)).not.toContain(ONE.slice(4));
    },
  );
});

describe('The address of the queue', () => {
  it.each([
    ['redis://127.0.0.1:6379', undefined],
    ['redis://localhost', undefined],
    ['redis://[::1]:6380', undefined],
    ['rediss://user:pass@queue.example:6380', ONE],
  ])('may be %s', (url, key) => {
    expect(queueAddress({ url, key }).url).toBe(url);
  });

  it.each([
    ['redis://queue.example:6379', ONE, 'must use TLS'],
    ['redis://10.0.0.5:6379', ONE, 'must use TLS'],
    ['redis://127.0.0.1.evil.example', ONE, 'must use TLS'],
    ['rediss://queue.example:6380', undefined, 'must be encrypted'],
    ['http://127.0.0.1', undefined, 'not a Redis address'],
    ['redis://', undefined, 'not a Redis address'],
    ['nothing', undefined, 'not a Redis address'],
  ])('may not be %s', (url, key, why) => {
    expect(() => queueAddress({ url, key })).toThrow(why);
  });

  it('is shown without its password', () => {
    expect(queueAddress({ url: 'redis://user:hunter2@127.0.0.1:1' }).name).toBe('127.0.0.1:1');
  });
});

describe('An error of a worker', () => {
  it.each(
    Object.values(errors as Record<string, unknown>).filter(
      (value): value is new (message: string) => errors.AisecError =>
        typeof value === 'function' && value.prototype instanceof errors.AisecError,
    ),
  )('%p arrives with its code and exit code', (kind) => {
    const { UnexpectedError, ValidationError } = errors as Record<string, unknown>;
    if (kind === UnexpectedError || kind === ValidationError) return;
    const sent = new kind('What happened.');
    const arrived = errorFrom(sent.toJSON());
    expect(arrived.toJSON()).toEqual(sent.toJSON());
    expect(arrived.exitCode).toBe(sent.exitCode);
  });
});
